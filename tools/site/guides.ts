import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The guides in reading order, as typedoc.json lists them, and what is made from their titles. */

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Guide {
  /** The name of the file in docs, without its ending. */
  readonly slug: string;
  readonly title: string;
  /** The question that the page answers. */
  readonly question: string;
}

const { projectDocuments } = JSON.parse(readFileSync(`${root}typedoc.json`, 'utf8')) as {
  projectDocuments: string[];
};

export const guides: readonly Guide[] = projectDocuments.map((path) => {
  const [, title, question] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(readFileSync(root + path, 'utf8')) ?? [];
  if (title === undefined || question === undefined)
    throw new Error(`${path} has no title or no first paragraph`);
  return { slug: basename(path, '.md'), title, question: question.replace(/`/g, '').replace(/\s+/g, ' ') };
});

/** The line at the end of a guide that leads to its neighbours. */
export function neighbours(slug: string): string {
  const at = guides.findIndex((guide) => guide.slug === slug);
  const [before, after] = [guides[at - 1], guides[at + 1]];
  return [
    before && `Previous: [${before.title}](${before.slug}.md)`,
    after && `Next: [${after.title}](${after.slug}.md)`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** docs/llms.txt, in the form of llmstxt.org. */
export function llmsText(): string {
  return `# billpay

> The TypeScript SDK for reselling airtime, data bundles, cable TV, electricity and education PINs from a prepaid wallet, with the whole
> service as a local sandbox. A purchase is never bought twice under one idempotency key, and every error says whether money may have moved.

Begin with [the page for coding agents](agents.md): five rules, the calls, and what never to do. Every guide is plain Markdown beside this
file. [openapi.json](openapi.json) describes the service for programs.

## Guides

${guides.map(({ slug, title, question }) => `- [${title}](${slug}.md): ${question}`).join('\n')}
`;
}

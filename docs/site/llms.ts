import { writeFileSync } from 'node:fs';
import { type Guide, guides, root } from './guides.js';

/** Writes docs/llms.txt: `npm run docs:llms`. The form is that of llmstxt.org; a test checks that the file is current. */

const line = ({ slug, title, question }: Guide): string => `- [${title}](${slug}.md): ${question}`;

/** The file, from the titles and first sentences of the guides. */
export function llmsText(): string {
  const sections = [...new Set(guides.map(({ section }) => section))];
  const lists = sections.map((section) => {
    const lines = guides.filter((guide) => guide.section === section).map(line);
    return `## ${section}\n\n${lines.join('\n')}\n`;
  });
  return `# billpay

> The TypeScript SDK for reselling airtime, data bundles, cable TV, electricity and education PINs from a prepaid wallet, with the whole
> service as a local sandbox. A purchase is never bought twice under one idempotency key, and every error says whether money may have moved.

Begin with [the page for coding agents](agents.md): five rules, the calls, and what never to do. Every guide is plain Markdown beside this
file. [openapi.json](openapi.json) describes the service for programs.

${lists.join('\n')}`;
}

if (process.argv[1]?.endsWith('llms.ts')) writeFileSync(`${root}docs/llms.txt`, llmsText());

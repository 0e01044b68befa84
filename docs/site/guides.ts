import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sections } from './pages.js';

/** The guides as the site and llms.txt list them. */

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Guide {
  /** The name of the file in docs, without its ending; also the address on the site. */
  readonly slug: string;
  readonly section: string;
  readonly title: string;
  /** The question that the page answers, or its first paragraph. */
  readonly question: string;
}

/** Links and marks have no place in a description. */
const plain = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

function guideOf(section: string, slug: string): Guide {
  const text = readFileSync(`${root}docs/${slug}.md`, 'utf8');
  const [, title, question] = /^# (.+)\n\n([\s\S]+?)\n\n/m.exec(text) ?? [];
  if (title === undefined || question === undefined)
    throw new Error(`docs/${slug}.md has no title or no first paragraph`);
  return { slug, section, title, question: plain(question) };
}

/** Every guide, in reading order. */
export const guides: readonly Guide[] = Object.entries(sections).flatMap(([section, slugs]) =>
  slugs.map((slug) => guideOf(section, slug)),
);

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { toString as textOf } from 'mdast-util-to-string';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

type Tree = ReturnType<ReturnType<typeof parser>['parse']>;

const parser = () => unified().use(remarkParse);

/** A page of the documentation, parsed. */
export interface Page {
  /** Relative to the repository, such as `docs/errors.md`. */
  readonly path: string;
  readonly text: string;
  readonly tree: Tree;
}

/** A fenced code block of a page. */
export interface CodeBlock {
  readonly page: string;
  /** The line of the page on which the code begins. */
  readonly line: number;
  /** The heading above the block, or the path of the page. */
  readonly heading: string;
  readonly language: string;
  /** The words after the language, such as `run`. */
  readonly marks: readonly string[];
  readonly code: string;
}

/** A heading of a page. */
export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** The fragment that leads to it on GitHub, on npm and on the site. */
  readonly anchor: string;
}

/** A link or an image of a page. */
export interface Link {
  readonly page: string;
  readonly line: number;
  readonly target: string;
}

/** Front matter belongs to the site; it is replaced by empty lines, so that line numbers stay. */
const withoutFrontMatter = (text: string): string =>
  text.replace(/^---\n[\s\S]*?\n---\n/, (matter) => matter.replace(/[^\n]/g, ''));

export function readPage(path: string): Page {
  const text = withoutFrontMatter(readFileSync(root + path, 'utf8'));
  return { path, text, tree: parser().parse(text) };
}

const markdownIn = (folder: string): string[] =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`);

/** The README and the guides: what users read. */
export const guides: readonly Page[] = ['README.md', ...markdownIn('docs/')].map(readPage);

/** All pages of the repository whose links are checked. */
export const allPages: readonly Page[] = [
  ...guides,
  ...['CHANGELOG.md', ...markdownIn('.github/')].map(readPage),
  ...readdirSync(`${root}examples`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('README.md') && !name.includes('node_modules'))
    .map((name) => readPage(`examples/${name}`)),
];

export function codeBlocks({ path, tree }: Page): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = path;
  visit(tree, (node) => {
    if (node.type === 'heading') heading = textOf(node);
    if (node.type !== 'code') return;
    blocks.push({
      page: path,
      line: (node.position?.start.line ?? 0) + 1,
      heading,
      language: node.lang ?? '',
      marks: node.meta?.split(/\s+/) ?? [],
      code: `${node.value}\n`,
    });
  });
  return blocks;
}

export function headings({ tree }: Page): Heading[] {
  const slugger = new GithubSlugger();
  const found: Heading[] = [];
  visit(tree, 'heading', (node) => {
    const text = textOf(node);
    found.push({ depth: node.depth, text, anchor: slugger.slug(text) });
  });
  return found;
}

/** The links and images of a page, those in inline HTML included. */
export function links({ path, tree }: Page): Link[] {
  const found: Link[] = [];
  visit(tree, (node) => {
    const line = node.position?.start.line ?? 0;
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      found.push({ page: path, line, target: node.url });
    }
    if (node.type === 'html') {
      for (const [, target = ''] of node.value.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)) {
        found.push({ page: path, line, target });
      }
    }
  });
  return found;
}

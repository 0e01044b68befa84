import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { llmsText } from '../../tools/site/guides.js';
import { allPages, headings, type Link, links, readPage, root } from './pages.js';

const isWeb = ({ target }: Link): boolean => /^[a-z][a-z+.-]*:/i.test(target);

/** The file that a link leads to, relative to the repository, and the fragment within it. */
function destination({ page, target }: Link): { path: string; fragment: string | undefined } {
  const [path = '', fragment] = target.split('#');
  return {
    path: path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURI(path))),
    fragment,
  };
}

/** Why a link within the repository leads nowhere; undefined where it leads somewhere. */
function deadBecause(link: Link): string | undefined {
  const { path, fragment } = destination(link);
  if (!existsSync(root + path)) return 'no such file';
  if (fragment === undefined || statSync(root + path).isDirectory()) return undefined;
  const anchors = path.endsWith('.md') ? headings(readPage(path)).map(({ anchor }) => anchor) : [];
  return anchors.includes(fragment) ? undefined : 'no such heading';
}

const every = allPages.flatMap(links);
const shown = ({ page, line, target }: Link) => `${page}:${line}: ${target}`;

describe('links', () => {
  it('within the repository lead to files and headings that exist', () => {
    const dead = every.flatMap((link) => {
      const reason = isWeb(link) ? undefined : deadBecause(link);
      return reason === undefined ? [] : [`${shown(link)} (${reason})`];
    });
    expect(every.length).toBeGreaterThan(50);
    expect(dead).toEqual([]);
  });

  it('to the web are whole https addresses', () => {
    const wrong = every.filter(isWeb).filter(({ target }) => {
      const { protocol, hostname } = new URL(target);
      return !['https:', 'mailto:'].includes(protocol) || (protocol === 'https:' && !hostname.includes('.'));
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it('of packed pages lead to files that are packed', () => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
    });
    const [{ files }] = JSON.parse(output);
    const packed: string[] = files.map(({ path }: { path: string }) => path);
    expect(packed).toContain('README.md');
    const missing = every.filter((link) => {
      if (isWeb(link) || !packed.includes(link.page)) return false;
      const { path } = destination(link);
      return !packed.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
    });
    expect(missing.map(shown)).toEqual([]);
    const { text } = readPage('README.md');
    const named = [...text.matchAll(/\b(?:docs|examples)\/[\w./-]+\.(?:md|ts|csv)\b/g)].map(([path]) => path);
    expect(named.filter((path) => !packed.includes(path))).toEqual([]);
  });
});

it('docs/llms.txt lists every guide as it is (npm run generate)', () => {
  expect(readFileSync(`${root}docs/llms.txt`, 'utf8')).toBe(llmsText());
});

describe('headings', () => {
  it.each(allPages.filter(({ path }) => path !== 'CHANGELOG.md').map((page) => [page.path, page] as const))(
    '%s has one title, skips no level and repeats no heading within a section',
    (_path, page) => {
      const found = headings(page);
      expect(found.filter(({ depth }) => depth === 1)).toHaveLength(1);
      const skipped = found.filter(({ depth }, index) => depth > (found[index - 1]?.depth ?? 0) + 1);
      expect(skipped.map(({ text }) => text)).toEqual([]);
      const paths = found.map(({ depth, text }, index) => {
        const parent = found.findLastIndex((other, at) => at < index && other.depth < depth);
        return `${parent}: ${text}`;
      });
      expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    },
  );
});

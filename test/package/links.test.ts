import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedConsumer } from './consumer.js';

let consumer: string;
let installed: string;

beforeAll(() => {
  consumer = installedConsumer();
  installed = join(consumer, 'node_modules/billpay');
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** The anchors that GitHub and npm give to the headings of a page. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );

/** The links of a page that lead nowhere on this disk. Addresses on the web are not followed. */
function deadLinks(page: string): string[] {
  const text = readFileSync(join(installed, page), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/i.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(installed, page) : join(installed, dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
  });
}

it('every link of the README, the docs and the changelog leads somewhere in the installed package', () => {
  const docs = readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`);
  const pages = ['README.md', 'CHANGELOG.md', ...docs];
  expect(pages.length).toBeGreaterThan(8);
  const dead = pages.flatMap((page) => deadLinks(page).map((target) => `${page}: ${target}`));
  expect(dead).toEqual([]);
});

it('every file that the README names in code exists in the installed package', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const named = [...readme.matchAll(/\b(?:docs|examples)\/[\w./-]+\.(?:md|ts|csv)\b/g)].map(([path]) => path);
  expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
});

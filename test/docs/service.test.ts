import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import { webhookHeaders } from '../../src/contract/vocabulary.js';
import { errorResponses } from '../../src/errors/error-responses.js';
import { headings, readPage, root } from './pages.js';

const page = readPage('docs/service.md');

/** The part of the page under a heading, up to the next one. */
function section(name: string): string {
  const [, rest = ''] = page.text.split(new RegExp(`^#+ ${name}\n`, 'm'));
  return rest.split(/^#+ /m)[0] ?? '';
}

describe('docs/service.md', () => {
  it('lists the calls that the client makes', () => {
    const listed = [...section('Endpoints').matchAll(/^\| `((?:GET|POST) \/[\w/]+)`/gm)].map(
      ([, call]) => call,
    );
    const called = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual(called.sort());
    expect(page.text).toContain('thirteen calls');
    expect(called).toHaveLength(13);
  });

  it('lists the errors that the client knows', () => {
    const listed = [...section('Errors').matchAll(/^\| (\d{3}) \| `([A-Z_]+)`/gm)].map(
      ([, status, code]) => `${status} ${code}`,
    );
    const known = errorResponses.flatMap((row) => ('code' in row ? [`${row.status} ${row.code}`] : []));
    expect(listed.sort()).toEqual(known.sort());
  });

  it('lists the headers of a delivery', () => {
    const listed = [...section('Events').matchAll(/^\| `(X-[\w-]+)`/gm)].map(([, name]) =>
      name?.toLowerCase(),
    );
    expect(listed.sort()).toEqual(
      Object.values(webhookHeaders)
        .map((name) => name.toLowerCase())
        .sort(),
    );
  });
});

/** Every text of the sources and tests that names the page, in one line. */
const mentions = ['src', 'test'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .flatMap((name) => {
      const text = readFileSync(`${root}${folder}/${name}`, 'utf8').replaceAll(/\n\s*(\*|\/\/)?\s*/g, ' ');
      return [...text.matchAll(/.{12}\bservice\.md.{0,120}/g)].map(([mention]) => ({
        where: `${folder}/${name}`,
        mention,
      }));
    }),
);

it('what names the service’s document names this page, and sections and rules that it has', () => {
  const names = headings(page).map(({ text }) => text);
  expect(mentions.length).toBeGreaterThan(10);
  const wrong = mentions.filter(({ where, mention }) => {
    if (where === 'test/docs/service.test.ts') return false;
    if (!mention.includes('docs/service.md')) return true;
    const cited = [...mention.matchAll(/docs\/service\.md, "([^"]+)"(?:, rules? (\d+))?/g)];
    return cited.some(
      ([, name = '', rule]) => !names.includes(name) || (rule && !section(name).includes(`\n${rule}. `)),
    );
  });
  expect(wrong).toEqual([]);
});

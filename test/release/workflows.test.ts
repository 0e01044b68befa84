import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const folder = new URL('.github/workflows/', root);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object };
const files = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly permissions?: object }>>;
}
const workflow = (name: string): Workflow => parse(files.find(([file]) => file === name)?.[1] ?? '');

describe('the workflows', () => {
  it('have a job for each kind of check', () => {
    const kinds = ['lint', 'types', 'unit', 'integration', 'package', 'runtimes'];
    expect(Object.keys(workflow('ci.yml').jobs)).toEqual([...kinds, 'all']);
    expect(Object.keys(workflow('long.yml').jobs)).toEqual(['long']);
  });

  it.each(files)('%s runs only scripts that exist, and needs no stored token', (_name, text) => {
    const called = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
    expect(called.filter((name) => !(String(name) in scripts))).toEqual([]);
    expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
  });

  it('publish by an identity of the one job that publishes', () => {
    const { long, publish } = workflow('release.yml').jobs;
    expect(publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(long?.permissions).toBeUndefined();
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from './pages.js';

/** The folders whose messages users of the client, of webhooks, bulk runs and orders can see. */
const folders = [
  'bulk',
  'contract',
  'errors',
  'http',
  'node',
  'orders',
  'pacing',
  'resources',
  'validation',
  'webhooks',
];

/** Texts of the sources that are no messages: statements for stores, and values. */
const isNoMessage = (text: string): boolean =>
  /\n|\b(SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE|BEGIN|SAVEPOINT|ORDER BY)\b|clock_timestamp|due_at <=|-->|^\[object /.test(
    text,
  ) || ['a value that has no text', 'an error that cannot be read'].includes(text);

/** The text of a literal, with `…` for each value in it. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

/** What can be compared: one `…` for several, and no blanks or full stops at the ends. */
const normal = (text: string): string =>
  text
    .replace(/…[\s…]*…/g, '…')
    .replace(/\s+/g, ' ')
    .replace(/^[\s;,.…]+|[\s.…]+$/g, '');

/** Every text of at least three words in the sources, with where it is. */
function messages(): { readonly where: string; readonly text: string }[] {
  const found: { where: string; text: string }[] = [];
  for (const folder of folders) {
    for (const name of readdirSync(`${root}src/${folder}`, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const path = `src/${folder}/${name}`;
      const source = ts.createSourceFile(
        path,
        readFileSync(root + path, 'utf8'),
        ts.ScriptTarget.ES2022,
        true,
      );
      const visit = (node: ts.Node): void => {
        const text = textOf(node);
        if (text !== undefined && /[a-z]+ [a-z…]+/i.test(text) && text.length > 12 && !isNoMessage(text)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          found.push({ where: `${path}:${line + 1}`, text });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
    }
  }
  return found;
}

it('docs/troubleshooting.md has every message of the client, webhooks, bulk runs and orders', () => {
  const page = normal(readFileSync(`${root}docs/troubleshooting.md`, 'utf8').replaceAll('<br>', ' '));
  const all = messages();
  expect(all.length).toBeGreaterThan(200);
  const missing = all.filter(({ text }) => !page.includes(normal(text)));
  expect(missing.map(({ where, text }) => `${where}: ${text}`)).toEqual([]);
});

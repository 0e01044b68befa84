import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from './pages.js';

/** The folders with messages that users can see. */
const folders = [
  'bulk',
  'contract',
  'doctor',
  'errors',
  'http',
  'node',
  'opentelemetry',
  'orders',
  'pacing',
  'postgres',
  'resources',
  'sandbox',
  'validation',
  'webhooks',
];

/** Files with labels, help, data, descriptions and names of cases, but without messages. */
const withoutMessages =
  /doctor\/run\.|orders\/testing\/|sandbox\/(console\/|words\/|command\/(banner|lines)\.|config\/config-schema|control\/(exports|openapi|paging)|[a-z]+\/(catalogue|ids|timeline|triggers)\.)/;

/** Properties that describe a flag, a subcommand, a route or a metric. */
const descriptions = ['description', 'examples', 'exit', 'flags', 'help', 'summary', 'usage', 'what'];

/** Texts that are neither a message nor a part of one. */
const noMessages = [
  'a value that has no text',
  'an error that cannot be read',
  'billpay call span',
  'Your purchase was accepted and is being processed.',
  // What the sandbox calls its trigger recipients.
  'error after the debit',
  'provider unavailable',
  'queue unavailable',
  'response lost',
  '… sells nothing',
  'settles as failed',
  'stays pending',
  // Of SQLite: what an error is recognised by.
  'UNIQUE constraint failed',
  'validation cannot confirm',
];

const isNoMessage = (text: string): boolean =>
  /\n|\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER TABLE|DROP TABLE|SET SESSION|ON CONFLICT|RETURNING|NOT IN|WHERE|BEGIN|SAVEPOINT|RELEASE|SET LOCAL|ORDER BY|ROLLBACK|IS NOT NULL|CONVERT|TRANSACTION|LOCK IN SHARE MODE)\b|clock_timestamp|(due|created)_at <=?|^extract\(|-->|<html>|^\[object /.test(
    text,
  ) || noMessages.includes(text);

/** The text of a literal, with `…` for each value in it. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

/** The kinds of values that come into the sandbox, and some metrics, describe themselves from this argument on. */
const describedFrom: Readonly<Record<string, number>> = {
  anyText: 0,
  given: 0,
  search: 0,
  text: 0,
  yesNo: 0,
  naira: 0,
  duration: 0,
  wholeThat: 0,
  wordOf: 1,
  textList: 2,
  inSeconds: 0,
  gauge: 2,
};

function isDescription({ parent, pos }: ts.Node): boolean {
  if (!parent || !ts.isCallExpression(parent)) return false;
  const from = describedFrom[parent.expression.getText()];
  return from !== undefined && parent.arguments.findIndex((argument) => argument.pos === pos) >= from;
}

/** What can be compared: one `…` for several, and no blanks or full stops at the ends. */
const normal = (text: string): string =>
  text
    .replace(/…[\s…]*…/g, '…')
    .replace(/\s+/g, ' ')
    .replace(/^[\s;,.…]+|[\s.…]+$/g, '');

/** Every text of several words in the sources, with where it is. */
function messages(): { readonly where: string; readonly text: string }[] {
  const found: { where: string; text: string }[] = [];
  for (const folder of [...folders, 'client.ts', 'client-options.ts']) {
    const names = folder.endsWith('.ts')
      ? [folder]
      : readdirSync(`${root}src/${folder}`, { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name}`,
        );
    for (const name of names) {
      if (!name.endsWith('.ts')) continue;
      const path = `src/${name}`;
      if (withoutMessages.test(path)) continue;
      const source = ts.createSourceFile(
        path,
        readFileSync(root + path, 'utf8'),
        ts.ScriptTarget.ES2022,
        true,
      );
      const visit = (node: ts.Node, isMessage: boolean): void => {
        const text = isMessage && !isDescription(node) ? textOf(node) : undefined;
        if (text !== undefined && /[a-z]+ [a-z…]+/i.test(text) && text.length > 12 && !isNoMessage(text)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          found.push({ where: `${path}:${line + 1}`, text });
        }
        if (ts.isPropertyAssignment(node) && descriptions.includes(node.name.getText())) return;
        ts.forEachChild(node, (child) => visit(child, isMessage || ts.isThrowStatement(node)));
      };
      // What a subcommand does not throw is its result.
      visit(source, !path.includes('/subcommands/'));
    }
  }
  return found;
}

it('docs/troubleshooting.md has every message, and docs/books.md every finding', () => {
  const pages = ['docs/troubleshooting.md', 'docs/books.md'].map((path) => readFileSync(root + path, 'utf8'));
  const page = normal(pages.join('\n').replaceAll('<br>', ' '));
  const all = messages();
  expect(all.length).toBeGreaterThan(200);
  const missing = all.filter(({ text }) => !page.includes(normal(text)));
  expect(missing.map(({ where, text }) => `${where}: ${text}`)).toEqual([]);
});

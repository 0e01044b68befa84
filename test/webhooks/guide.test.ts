import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(`${root}docs/webhooks.md`, 'utf8');
const snippets = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

/** What the snippets take for given. A snippet that declares one of these itself hides it. */
const given = `
declare const secret: string, newSecret: string, oldSecret: string;
declare const on: NonNullable<import('billpay/webhooks').WebhookHandlerOptions['on']>;
declare const orders: { markPaid(reference: string, token: string | null): Promise<void>; refund(reference: string): Promise<void> };
declare const billpay: import('billpay').BillPay;
declare const request: Request;
declare const handler: import('billpay/webhooks').WebhookHandler;
`;

it('the snippets of docs/webhooks.md type-check as they stand', () => {
  expect(snippets.length).toBeGreaterThan(5);
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
  const files = new Map([[`${root}test/webhooks/guide/given.d.ts`, given]]);
  for (const [index, code] of snippets.entries()) {
    files.set(`${root}test/webhooks/guide/snippet-${index + 1}.ts`, `${code}export {};\n`);
  }
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, language, ...rest)
      : ts.createSourceFile(name, text, language);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noUnusedLocals: false }, host);
  const problems = [...files.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) =>
        `${name.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
  expect(problems).toEqual([]);
}, 60_000);

it('the links of docs/webhooks.md lead somewhere', () => {
  const links = [...guide.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect(existsSync(new URL(link, `file://${root}docs/`)), link).toBe(true);
});

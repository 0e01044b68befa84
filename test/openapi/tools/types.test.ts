import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command, documentFile, toolsFolder } from './tool.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const agreement = here('agreement.ts');
const generated = here('generated/service.ts');

beforeAll(() => {
  mkdirSync(dirname(generated), { recursive: true });
  const args = [command('openapi-typescript/bin/cli.js'), documentFile, '--output', generated];
  execFileSync(process.execPath, args, { cwd: toolsFolder, stdio: 'pipe' });
});

afterAll(() => rmSync(dirname(generated), { recursive: true, force: true }));

/** The compiler's errors about the agreement, after `edit` has been made to its text. */
function errors(edit: (text: string) => string = (text) => text): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, language, ...rest) =>
    name === agreement
      ? ts.createSourceFile(name, edit(host.readFile(name) ?? ''), language)
      : getSourceFile(name, language, ...rest);
  const program = ts.createProgram([agreement], options, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(agreement))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it('the types that openapi-typescript makes agree with the public interfaces', () => {
  expect(errors()).toEqual([]);
});

it.each([
  ['a response', "Schemas['CatalogueProduct']", "Schemas['Transaction']"],
  ['a request', "'/tv/purchase'", "'/edu/purchase'"],
  ['a field that is optional', 'Keyed<EduPurchaseParams>', 'Required<EduPurchaseParams>'],
  ['a query', "'/transactions/status'", "'/tv/products'"],
])('a disagreement is noticed: %s', (_, from, to) => {
  expect(errors((text) => text.replace(from, to)).length).toBeGreaterThan(0);
});

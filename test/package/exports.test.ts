import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPeer, installedConsumer, root } from './consumer.js';

interface Conditions {
  readonly types: string;
  readonly default: string;
}

type Format = 'import' | 'require';

const manifest: { exports: Record<string, Record<Format, Conditions> | Conditions | string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

const entryPoints = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  (['import', 'require'] as const).flatMap((format) => {
    if (typeof target === 'string') return [];
    // One CommonJS file may serve both formats.
    return [{ entry, format, types: 'types' in target ? target.types : target[format].types }];
  }),
);

let consumer: string;

beforeAll(() => {
  consumer = installedConsumer();
  addPeer(consumer, '@opentelemetry/api');
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** The names that a declaration file exports as values: those that are only types are left out. */
function declaredValues(file: string): string[] {
  const program = ts.createProgram([file], { module: ts.ModuleKind.Node16, types: [], skipLibCheck: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module`);
  const isTypeOnly = (symbol: ts.Symbol): boolean =>
    symbol.declarations?.some((node) => ts.isExportSpecifier(node) && ts.isTypeOnlyExportDeclaration(node)) ??
    false;
  const isValue = (symbol: ts.Symbol): boolean => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.flags & ts.SymbolFlags.Value) !== 0;
  };
  const values = checker
    .getExportsOfModule(module)
    .filter((symbol) => isValue(symbol) && !isTypeOnly(symbol));
  return values.map(({ name }) => name).sort();
}

/** What Node adds to the names of a CommonJS file that is imported, and the mark of one that was an ES module. */
const addedByNode = ['default', 'module.exports', '__esModule'];

/** The names that an entry point has at run time. */
function runtimeNames(entry: string, format: Format): string[] {
  const specifier = entry.replace('.', 'billpay');
  const file = join(consumer, 'names.mjs');
  const load =
    format === 'import'
      ? `await import('${specifier}')`
      : `(await import('node:module')).createRequire(import.meta.url)('${specifier}')`;
  writeFileSync(file, `console.log(JSON.stringify(Object.keys(${load})));`);
  const names: string[] = JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
  const isCommonJs = 'default' in Object(manifest.exports[entry]);
  return names.filter((name) => !isCommonJs || !addedByNode.includes(name)).sort();
}

describe('the declared exports of an entry point', () => {
  it.each([
    ['import', 'mjs', "import * as all from 'billpay';"],
    ['require', 'cjs', "const all = require('billpay');"],
  ])('have the names that stacks and logs show, by %s', (_, end, load) => {
    const file = join(consumer, `own-names.${end}`);
    const differs = '([name, value]) => typeof value === "function" && value.name !== name';
    writeFileSync(
      file,
      `${load} console.log(JSON.stringify(Object.entries(all).filter(${differs}).map(([name]) => name)));`,
    );
    expect(JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }))).toEqual([]);
  });

  it('are looked at for every entry point', () => {
    expect(entryPoints.length).toBeGreaterThanOrEqual(10);
  });

  it.each(entryPoints)('exist at run time: $entry by $format', ({ entry, format, types }) => {
    const declared = declaredValues(join(consumer, 'node_modules/billpay', types));
    expect(declared.length).toBeGreaterThan(0);
    expect(runtimeNames(entry, format)).toEqual(declared);
  });
});

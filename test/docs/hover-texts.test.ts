import { existsSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from './pages.js';
import { typeErrors } from './type-check.js';

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

const sources = program
  .getSourceFiles()
  .filter((source) => !source.isDeclarationFile && source.fileName.startsWith(`${root}src/`));

const whereOf = (source: ts.SourceFile, { pos }: ts.Node): string =>
  `${source.fileName.slice(root.length)}:${source.getLineAndCharacterOfPosition(pos).line + 1}`;

interface Finding {
  readonly where: string;
  readonly text: string;
}

/** The text of every tag of this name in the sources, with the line of the tag. */
function tags(tagName: string): Finding[] {
  const found: Finding[] = [];
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      for (const tag of ts.getJSDocTags(node)) {
        if (tag.parent.parent !== node || tag.tagName.text !== tagName) continue;
        found.push({ where: whereOf(source, tag), text: ts.getTextOfJSDocComment(tag.comment) ?? '' });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

const entries = ['', '/webhooks', '/orders', '/bulk', '/sandbox', '/node', '/opentelemetry'];

/** The functions, classes and values of the package, by name, with the entry point that exports them. */
const values = new Map(
  entries.flatMap((entry) => {
    const source = program.getSourceFile(`${root}src${entry}/index.ts`);
    const module = source && checker.getSymbolAtLocation(source);
    return (module ? checker.getExportsOfModule(module) : [])
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .filter(({ flags }) => flags & ts.SymbolFlags.Value)
      .map((symbol) => [symbol.name, { symbol, entry: `billpay${entry}` }] as const);
  }),
);

it('every exported function, class and value has an example, but errors, which nobody constructs', () => {
  expect(values.size).toBeGreaterThan(50);
  const without = [...values.values()].filter(
    ({ symbol }) =>
      !symbol.name.endsWith('Error') && symbol.getJsDocTags(checker).every(({ name }) => name !== 'example'),
  );
  expect(without.map(({ symbol }) => symbol.name)).toEqual([]);
});

it('every member of an exported class or interface has a doc comment', () => {
  const without = new Set<string>();
  for (const entry of entries) {
    const source = program.getSourceFile(`${root}src${entry}/index.ts`);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      // What is used of somebody else's library, which documents it.
      if (/Like$|^PgBossSendOptions$/.test(symbol.name)) continue;
      for (const declaration of symbol.declarations ?? []) {
        if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) continue;
        for (const member of declaration.members) {
          const name = member.name && checker.getSymbolAtLocation(member.name);
          const isHidden =
            !name ||
            ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal') ||
            ts.isPrivateIdentifier(member.name as ts.Node) ||
            ts.isComputedPropertyName(member.name as ts.Node) ||
            ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
          if (!isHidden && name.getDocumentationComment(checker).length === 0)
            without.add(`${symbol.name}.${name.name}`);
        }
      }
    }
  }
  expect([...without]).toEqual([]);
});

it('every option that may be left out says its default, but those of the sandbox', () => {
  const without: string[] = [];
  for (const source of sources) {
    if (/\/src\/(commands|sandbox)\//.test(source.fileName)) continue;
    source.forEachChild((node) => {
      if (!ts.isInterfaceDeclaration(node) || !/Options$/.test(node.name.text)) return;
      if (!(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export)) return;
      for (const member of node.members) {
        const name = member.name && checker.getSymbolAtLocation(member.name);
        if (!name || !member.questionToken) continue;
        const text = ts.displayPartsToString(name.getDocumentationComment(checker));
        if (!/\bdefault\b/i.test(text)) without.push(`${node.name.text}.${name.name}`);
      }
    });
  }
  expect(without).toEqual([]);
});

/** The imports that an example leaves out: names of the package that it uses and does not declare. */
function importsFor(code: string): string {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ES2022, true);
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.add(node.text);
    if ((ts.isVariableDeclaration(node) || ts.isImportSpecifier(node)) && ts.isIdentifier(node.name)) {
      declared.add(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...values]
    .filter(([name]) => used.has(name) && !declared.has(name))
    .map(([name, { entry }]) => `import { ${name} } from '${entry}'; `)
    .join('');
}

describe('the examples of doc comments', () => {
  const examples = tags('example').map(({ where, text }) => {
    const code = text.replace(/^```ts\n|\n```$/g, '');
    const [page = '', line = ''] = where.split(':');
    return { page, line: Number(line) + 2, code: `${importsFor(code)}${code}\n` };
  });

  const declarations = ['example-names', 'node-sqlite'].map(
    (name) => `${root}test/docs/declarations/${name}.d.ts`,
  );

  it.each([true, false])('compile with exactOptionalPropertyTypes: %s', (exact) => {
    expect(examples.length).toBeGreaterThan(70);
    expect(typeErrors(examples, exact, declarations)).toEqual([]);
  });
});

it('every file that a comment names exists', () => {
  const named = sources.flatMap((source) =>
    [...source.text.matchAll(/\b(?:docs|examples)\/[\w./-]+\.(?:md|ts|json)\b/g)].map(([file]) => ({
      source: source.fileName,
      file,
    })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ file }) => !existsSync(root + file))).toEqual([]);
});

import { existsSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { root } from './pages.js';

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

interface Finding {
  readonly where: string;
  readonly text: string;
}

interface Mentions {
  readonly links: (Finding & { readonly node: ts.JSDocLink | ts.JSDocLinkCode | ts.JSDocLinkPlain })[];
  readonly addresses: Finding[];
  readonly files: Finding[];
}

/** Everything that doc comments refer to: `{@link}` tags, web addresses and files of this repository. */
function mentions(): Mentions {
  const found: Mentions = { links: [], addresses: [], files: [] };
  for (const source of program.getSourceFiles()) {
    if (source.isDeclarationFile || !source.fileName.startsWith(`${root}src/`)) continue;
    const where = (node: ts.Node) =>
      `${source.fileName.slice(root.length)}:${source.getLineAndCharacterOfPosition(node.pos).line + 1}`;
    const visit = (node: ts.Node): void => {
      for (const comment of ts.getJSDocCommentsAndTags(node)) read(comment, where(comment));
      ts.forEachChild(node, visit);
    };
    const read = (comment: ts.Node, at: string): void => {
      const text = comment.getText(source);
      for (const [address] of text.matchAll(/\b[a-z]+:\/\/[^\s)'"`>\]}]+/g)) {
        found.addresses.push({ where: at, text: address.replace(/[.,;:]$/, '') });
      }
      for (const [file] of text.matchAll(/\b(?:docs|examples)\/[\w./-]+\.(?:md|ts|json)\b/g)) {
        found.files.push({ where: at, text: file });
      }
      const link = (node: ts.Node): void => {
        if (ts.isJSDocLink(node) || ts.isJSDocLinkCode(node) || ts.isJSDocLinkPlain(node)) {
          found.links.push({ where: at, text: node.getText(source), node });
        }
        ts.forEachChild(node, link);
      };
      link(comment);
    };
    visit(source);
  }
  return found;
}

const { links, addresses, files } = mentions();
const shown = ({ where, text }: Finding) => `${where}: ${text}`;

it('every {@link} of a doc comment leads to a name in its scope', () => {
  const dead = links.filter(({ node }) => {
    if (node.name === undefined) return !/^\{@link\S* https:\/\//.test(node.getText());
    return checker.getSymbolAtLocation(node.name) === undefined;
  });
  expect(dead.map(shown)).toEqual([]);
});

it('every web address of a doc comment is whole', () => {
  expect(addresses.length).toBeGreaterThan(0);
  const placeholder = '…';
  const broken = addresses.filter(({ text }) => !text.includes(placeholder) && !URL.canParse(text));
  expect(broken.map(shown)).toEqual([]);
});

it('every exported function has an example', () => {
  const entries = [
    'index',
    'webhooks/index',
    'orders/index',
    'bulk/index',
    'sandbox/index',
    'node/index',
    'opentelemetry/index',
  ];
  const functions = entries.flatMap((entry) => {
    const source = program.getSourceFile(`${root}src/${entry}.ts`);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module) : [];
  });
  const targets = functions
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(({ flags }) => flags & ts.SymbolFlags.Function);
  expect(targets.length).toBeGreaterThan(20);
  const without = targets.filter((symbol) =>
    symbol.getJsDocTags(checker).every(({ name }) => name !== 'example'),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});

it('every file that a doc comment names exists', () => {
  expect(files.filter(({ text }) => !existsSync(root + text)).map(shown)).toEqual([]);
});

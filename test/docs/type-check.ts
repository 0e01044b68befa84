import ts from 'typescript';
import { type CodeBlock, root } from './pages.js';

/** The compiler options of a strict project that installs the package. */
const strictOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Parsed files are the same under every setting, and most of the time goes into parsing. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the entry points are called, from the project's own configuration. */
function importPaths(): ts.MapLike<string[]> {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  return config.compilerOptions.paths;
}

/**
 * The type errors of code blocks, each with its page and line. Every block is a module of its own, so it must import all that it uses.
 *
 * @param exactOptionalPropertyTypes - users have this option on or off, and the code must compile under both.
 * @param declarations - files that declare what the blocks take for granted.
 */
export function typeErrors(
  blocks: readonly Pick<CodeBlock, 'page' | 'line' | 'code'>[],
  exactOptionalPropertyTypes: boolean,
  declarations: readonly string[] = [],
): string[] {
  const files = new Map(
    blocks.map((block) => [`${root}test/docs/blocks/${block.page}-${block.line}.ts`, block]),
  );
  const options = { ...strictOptions, exactOptionalPropertyTypes, paths: importPaths(), pathsBasePath: root };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const codeOf = (name: string) => {
    const block = files.get(name);
    return block && `${block.code}export {};\n`;
  };
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => codeOf(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, language, ...rest) => {
    const code = codeOf(name);
    if (!parsed.has(name)) {
      parsed.set(
        name,
        code === undefined
          ? getSourceFile.call(host, name, language, ...rest)
          : ts.createSourceFile(name, code, language, true),
      );
    }
    return parsed.get(name);
  };
  const program = ts.createProgram([...declarations, ...files.keys()], options, host);
  return [...files].flatMap(([name, block]) => {
    const file = program.getSourceFile(name);
    const problems = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return problems.map(({ start, messageText }) => {
      const line = block.line + (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0);
      return `${block.page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}

import { readFileSync } from 'node:fs';
import { renderMermaidSVG } from 'beautiful-mermaid';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocks, guides, root } from './pages.js';
import { typeErrors } from './type-check.js';

const blocks = guides.flatMap(codeBlocks);
/** The example that a block shows, whose libraries are installed, and whose types are checked, in `examples`. */
const exampleOf = ({ marks }: CodeBlock) => marks.find((mark) => mark.startsWith('examples/'));
const typescript = blocks.filter(
  (block) => ['ts', 'tsx', 'typescript'].includes(block.language) && exampleOf(block) === undefined,
);

describe('the code blocks of the README and the guides', () => {
  it.each([true, false])('compile by themselves with exactOptionalPropertyTypes: %s', (exact) => {
    expect(typescript.length).toBeGreaterThan(20);
    expect(typeErrors(typescript, exact)).toEqual([]);
  });

  const examples = blocks.flatMap((block) => {
    const file = exampleOf(block);
    return file === undefined ? [] : [[`${block.page}:${block.line}`, file, block.code] as const];
  });
  it.each(examples)('%s is %s', (_name, file, code) => {
    expect(code).toBe(readFileSync(root + file, 'utf8'));
  });

  const javascript = blocks.filter(({ language }) => language === 'js');
  it.each(javascript.map((block) => [`${block.page}:${block.line}`, block.code] as const))(
    '%s is JavaScript that can be parsed',
    (_name, code) => {
      const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true });
      expect(diagnostics).toEqual([]);
    },
  );

  const json = blocks.filter(({ language }) => language === 'json');
  it.each(json.map((block) => [`${block.page}:${block.line}`, block.code] as const))(
    '%s is JSON that can be parsed',
    (_name, code) => expect(() => JSON.parse(code)).not.toThrow(),
  );

  const diagrams = blocks.filter(({ language }) => language === 'mermaid');
  it.each(diagrams.map((block) => [`${block.page}:${block.line}`, block.code] as const))(
    '%s is a diagram that can be drawn',
    (_name, code) => expect(renderMermaidSVG(code)).toMatch(/^<svg[\s\S]+<text/),
  );

  it('run only scripts and commands that exist', () => {
    const { scripts, bin } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const shell = blocks.filter(({ language }) => ['sh', 'bash', 'shell'].includes(language));
    const unknown = shell.flatMap(({ page, line, code }) => [
      ...[...code.matchAll(/\bnpm run ([\w:-]+)/g)]
        .filter(([, name = '']) => !(name in scripts))
        .map(([command]) => `${page}:${line}: ${command}`),
      ...[...code.matchAll(/\bnpx (billpay[\w-]*)/g)]
        .filter(([, name = '']) => !(name in bin))
        .map(([command]) => `${page}:${line}: ${command}`),
    ]);
    expect(shell.length).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  });
});

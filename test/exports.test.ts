import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** The names that `billpay` exports. An `export *` would hide some of them, and is not used there. */
function exportedNames(): string[] {
  const path = new URL('../src/index.ts', import.meta.url);
  const source = ts.createSourceFile('index.ts', readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022);
  return source.statements.flatMap((statement) => {
    if (
      !ts.isExportDeclaration(statement) ||
      !statement.exportClause ||
      !ts.isNamedExports(statement.exportClause)
    ) {
      throw new Error(`src/index.ts has something else than a list of names: ${statement.getText(source)}`);
    }
    return statement.exportClause.elements.map(({ name }) => name.text);
  });
}

it('billpay exports at most 60 names, each once', () => {
  const names = exportedNames();
  expect(names.length).toBeGreaterThan(50);
  expect(names.length).toBeLessThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

it('billpay exports neither errors of other entry points nor what no caller writes down', () => {
  const names = exportedNames();
  const elsewhere = /^(Order|RetryLater|AlreadyHandled)/;
  const internal = [
    'ErrorContext',
    'ResponseContext',
    'Ticket',
    'Grant',
    'Undocumented',
    'Documented',
    'Open',
  ];
  expect(names.filter((name) => elsewhere.test(name) || internal.includes(name))).toEqual([]);
});

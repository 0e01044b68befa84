import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const publicTypes = fileURLToPath(new URL('public-types.ts', import.meta.url));
const contractSchemas = fileURLToPath(new URL('contract-schemas.ts', import.meta.url));
const config = ts.getParsedCommandLineOfConfigFile(
  `${root}/tsconfig.json`,
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
    },
  },
);

/** The compiler's errors about a file, after `edit` has been made to its text. */
function errorsIn(judged: string, edit: (text: string) => string = (text) => text): string[] {
  const options = config?.options ?? {};
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target, ...rest) =>
    name === judged
      ? ts.createSourceFile(name, edit(readFile(name) ?? ''), target)
      : getSourceFile(name, target, ...rest);
  const program = ts.createProgram([judged], options, host);
  const file = program.getSourceFile(judged);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ messageText, start = 0 }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    },
  );
}

describe('the public types', { timeout: 60_000 }, () => {
  it('accept and refuse what they should', () => {
    expect(errorsIn(publicTypes)).toEqual([]);
  });

  it('are really judged', () => {
    const found = errorsIn(publicTypes, (text) => text.replaceAll("'MTN', recipient", "'MTN', recpient"));
    expect(found.join('\n')).toContain('recpient');
    expect(errorsIn(publicTypes, (text) => `${text}\n// @ts-expect-error nothing\nbillpay;\n`)).toEqual([
      expect.stringContaining("Unused '@ts-expect-error' directive"),
    ]);
  });
});

describe('the schemas of the contract', { timeout: 60_000 }, () => {
  it('give exactly the public interfaces', () => {
    expect(errorsIn(contractSchemas)).toEqual([]);
  });

  it.each([
    ['params.DataPurchaseParams, Output<typeof params.tvPurchaseParams>'],
    ['params.TvPurchaseParams, Output<typeof params.dataPurchaseParams>'],
    ["responses.Transaction, Omit<Output<typeof responses.transactionEnvelope>['data'], 'token'>"],
  ])('are really compared: %s', (pair) => {
    const found = errorsIn(contractSchemas, (text) =>
      text.replace('AllTrue<\n  [', `AllTrue<\n  [Same<${pair}>,`),
    );
    expect(found.join('\n')).toContain("Type '[false, true,");
  });
});

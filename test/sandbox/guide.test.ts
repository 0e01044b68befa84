import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { sandboxCommand } from '../../src/sandbox/command/run.js';
import { listenFields } from '../../src/sandbox/http/listen-options.js';
import * as sandboxModule from '../../src/sandbox/index.js';
import { sandboxFields } from '../../src/sandbox/options.js';
import { codeBlocks, readPage } from '../docs/pages.js';
import { FakeProcess } from '../support/fake-process.js';

/** The guides about the sandbox, beside their snippets, which test/package runs as they stand. */

const page = readPage('docs/sandbox.md');
const reference = readPage('docs/sandbox-reference.md').text;
const faults = codeBlocks(page).filter(({ marks }) => marks.includes('faults'));

/** Runs a block as it stands, in which `createSandbox` returns this sandbox. */
async function execute(code: string, sandbox: sandboxModule.Sandbox): Promise<void> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const load = () => ({ createSandbox: () => sandbox });
  await new Function('require', 'exports', `return (async () => {${outputText}})();`)(load, {});
}

/** The names in the first column of a table of the reference. */
const namesIn = (heading: string, next: string, name: RegExp): string[] =>
  [
    ...reference
      .slice(reference.indexOf(`## ${heading}`), reference.indexOf(`## ${next}`))
      .matchAll(/^\| (.*?) \|/gm),
  ].flatMap(([, cell = '']) => [...cell.matchAll(name)].map(([, found = '']) => found));

describe('the guide', () => {
  test('has both lists of what can go wrong', () => expect(faults).toHaveLength(2));

  test.each(faults)('$heading', async ({ code }) => {
    const sandbox = sandboxModule.createSandbox();
    const add = vi.spyOn(sandbox.faults, 'add');
    const corrupt = vi.spyOn(sandbox, 'corruptDeliveries');
    await execute(code, sandbox);
    expect(add.mock.calls.length + corrupt.mock.calls.length).toBeGreaterThan(2);
    await sandbox.close();
  });

  test('lists every trigger recipient as the sandbox has it', () => {
    const rows = [...page.text.matchAll(/^\| `(0800\d{7})` \| (.*) \|$/gm)].map(
      ([, recipient, description]) => ({
        recipient,
        description,
      }),
    );
    expect(rows).toEqual(
      sandboxModule.triggers.map(({ recipient, description }) => ({ recipient, description })),
    );
  });
});

describe('the reference', () => {
  test('lists every option', () => {
    expect(namesIn('Options', 'HTTP', /`(\w+)`/g).sort()).toEqual(Object.keys(sandboxFields).sort());
    for (const name of Object.keys(listenFields)) expect(reference).toContain(`\`${name}\``);
  });

  test('lists every flag', () => {
    const flags = sandboxCommand(new FakeProcess()).options.map(({ long }) => long);
    expect(namesIn('Flags', 'Options', /`(--[\w-]+)/g).sort()).toEqual(flags.sort());
  });
});

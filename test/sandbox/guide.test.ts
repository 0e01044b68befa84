import { describe, expect, test, vi } from 'vitest';
import { sandboxCommand } from '../../src/sandbox/command/run.js';
import { listenFields } from '../../src/sandbox/http/listen-options.js';
import * as sandboxModule from '../../src/sandbox/index.js';
import { sandboxFields } from '../../src/sandbox/options.js';
import { codeBlocks, readPage } from '../docs/pages.js';
import { execute } from '../docs/run-block.js';
import { FakeProcess } from '../support/fake-process.js';

/** The guides about the sandbox, beside their snippets, which test/package runs as they stand. */

const page = readPage('docs/sandbox.md');
const reference = readPage('docs/sandbox-reference.md').text;
const faults = codeBlocks(page).filter(({ marks }) => marks.includes('faults'));

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
    await execute(code, { 'billpay/sandbox': { createSandbox: () => sandbox } }, {});
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

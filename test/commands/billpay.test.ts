import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeSqlite } from '../../src/commands/database.js';
import { version } from '../../src/version.js';
import { type BundledProgram, bundleProgram } from '../support/bundle-program.js';
import { temporaryFile } from '../support/temporary-file.js';

let bundled: BundledProgram;
beforeAll(async () => {
  bundled = await bundleProgram(new URL('../../src/commands/billpay.ts', import.meta.url));
});
afterAll(() => bundled.remove());

/** Runs the program as a process, by a shell, without variables of the package. */
function billpay(args: string, cwd = tmpdir()) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('BILLPAY_')),
  );
  const line = `set -o pipefail; "${process.execPath}" "${bundled.program}" ${args}`;
  return new Promise<{ exitCode: number; out: string; err: string }>((resolve) => {
    execFile('bash', ['-c', line], { cwd, env }, (error, out, err) =>
      resolve({ exitCode: Number(error?.code ?? 0), out, err }),
    );
  });
}

it('prints its commands, and what one of them does', async () => {
  for (const args of ['', '--help', 'help']) {
    const { exitCode, out } = await billpay(args);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/ sandbox .*\n +doctor .*\n +reconcile .*\n +prove /);
    expect(out).not.toContain('trigger');
  }
  expect((await billpay('help doctor')).out).toMatch(/^Usage: billpay doctor \[options\]/);
  expect(await billpay('--version')).toEqual({ exitCode: 0, out: `${version}\n`, err: '' });
});

it.each([
  ['docter', "billpay: unknown command 'docter' (Did you mean doctor?) See billpay --help."],
  ['trigger success', 'billpay trigger: belongs to the sandbox: run npx billpay sandbox trigger success'],
  [
    'doctor --jason',
    "billpay doctor: unknown option '--jason' (Did you mean --json?) See billpay doctor --help.",
  ],
  [
    'doctor --env missing.env',
    'billpay doctor: --env: missing.env cannot be read (ENOENT): check the path and its permissions',
  ],
  ['reconcile --sqlite orders.db', 'billpay reconcile: there is no SQLite file orders.db: check its path'],
])('ends with 2 and one line on stderr: %s', async (args, err) => {
  expect(await billpay(args)).toEqual({ exitCode: 2, out: '', err: `${err}\n` });
});

it('ends with what the command found: 1 where the doctor finds a failure', async () => {
  const { exitCode, out } = await billpay('doctor');
  expect(out).toMatch(/^FAILED {3}credentials/m);
  expect(exitCode).toBe(1);
});

it('ends quietly when nobody reads on', async () => {
  expect(await billpay('doctor | head -n 1', fileURLToPath(new URL('../..', import.meta.url)))).toMatchObject(
    {
      out: expect.stringMatching(/^ok +node .*\n$/),
      err: '',
    },
  );
});

it.skipIf(!nodeSqlite())('prints nothing of what Node warns about its SQLite', async () => {
  const file = temporaryFile('', 'orders.db');
  const { exitCode, err } = await billpay(`reconcile --sqlite ${file}`);
  expect(exitCode).toBe(2);
  expect(err).toMatch(/^billpay reconcile: the database has no tables of orders: .*\n$/);
});

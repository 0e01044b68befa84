import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Program } from '../../support/program.js';

const entry = fileURLToPath(new URL('../../../src/commands/billpay.ts', import.meta.url));
const nodeArgs = ['--import', 'tsx', entry, 'sandbox'];
const run = promisify(execFile);

let sandbox: Program | undefined;
afterEach(() => sandbox?.end());

describe('billpay sandbox as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints a curl line that works, and ends cleanly with %s',
    async (signal) => {
      sandbox = new Program(process.execPath, [...nodeArgs, '--port', '0', '--verbose']);
      const [curl] = await sandbox.prints(/^curl .*\\\n(?:.*\\\n)*.*$(?=[\s\S]*08000000009)/m);

      const { stdout } = await run('sh', ['-c', curl]);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', data: { biller: 'MTN', amount: 500 } });
      await sandbox.prints(/202 airtime\/purchase .* accepted/);
      expect(await sandbox.end(signal)).toBe(0);
    },
  );

  it('ends a wrong command line with one line on stderr and exit code 2', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, '--prot', '1'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: "billpay sandbox: unknown option '--prot' (Did you mean --port?) See billpay sandbox --help.\n",
    });
  });

  it.each([['trigger', '--help'], ['--help']])('ends quietly when nobody reads on: %j', (...args) => {
    // Bash ends with the exit code of the first program, in place of that of the last one.
    const pipe = 'set -o pipefail; "$@" | true';
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', pipe, 'bash', process.execPath, ...nodeArgs, ...args],
      {
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

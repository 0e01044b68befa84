import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';

const entry = fileURLToPath(new URL('../../../src/sandbox/command/index.ts', import.meta.url));
const nodeArgs = ['--import', 'tsx', entry];
const run = promisify(execFile);

type Child = ChildProcessByStdio<null, Readable, Readable>;

const children: Child[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(...args: string[]): Child {
  const child = spawn(process.execPath, [...nodeArgs, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.setEncoding('utf8');
  children.push(child);
  return child;
}

async function outputUntil(child: Child, end: string): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(end)) return text;
  }
  throw new Error(`the command ended after saying: ${text}`);
}

describe('billpay sandbox as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints a curl line that works, and ends cleanly with %s',
    async (signal) => {
      const child = start('--port', '0', '--verbose');
      const banner = await outputUntil(child, 'Other clients');
      const curl = /^curl .*\\\n.*\\\n.*$/m.exec(banner)?.[0] ?? '';

      const { stdout } = await run('sh', ['-c', curl]);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', data: { biller: 'MTN', amount: 500 } });
      expect(await outputUntil(child, ' ms\n')).toMatch(/202 POST \/api\/v1\/airtime\/purchase/);

      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  it('ends a wrong command line with one line on stderr and exit code 2', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArgs, '--prot', '1'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: 'billpay sandbox: has no flag --prot (did you mean --port?); see --help\n',
    });
  });
});

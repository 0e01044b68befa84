import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { optionsOf } from '../../../src/sandbox/command/options.js';
import { sandboxCommand } from '../../../src/sandbox/command/run.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { FakeProcess } from '../../support/fake-process.js';

const run = promisify(execFile);
const example = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
const has = (command: string) => spawnSync(command, ['--version']).status === 0;

describe('the examples for other languages do what they say', () => {
  const examples = [
    ['curl', 'sh', 'sandbox-http/purchase.sh', '"ok":true'],
    ['python3', 'python3', 'sandbox-http/purchase.py', 'bought once, delivered, and the books are right'],
    ['php', 'php', 'sandbox-http/purchase.php', 'bought once, refunded, delivered, and the books are right'],
  ] as const;

  // CI installs all of them; elsewhere only PHP may be missing.
  const isOptional = (needed: string) => needed === 'php' && process.env['CI'] === undefined;

  for (const [needed, command, file, end] of examples) {
    test.skipIf(isOptional(needed) && !has(needed))(`${file} with ${needed}`, async () => {
      expect(has(needed), `${needed} is needed on the machine that runs the tests`).toBe(true);
      const sandbox = createSandbox({ settleAfter: 'manual' });
      onTestFinished(() => sandbox.close());
      const { port } = await sandbox.listen();
      const env = {
        ...process.env,
        SANDBOX: `http://127.0.0.1:${port}`,
        NO_PROXY: '127.0.0.1',
        no_proxy: '127.0.0.1',
      };
      const { stdout } = await run(command, [example(file)], { env });
      expect(stdout).toContain(end);
      expect(sandbox.audit()).toMatchObject({ ok: true, transactions: 1 });
    });
  }
});

describe('the Dockerfile', () => {
  const file = readFileSync(example('docker/Dockerfile'), 'utf8');
  /** Instructions with their arguments; continued lines are one, comments are none. */
  const instructions = file
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^([A-Z]+) (.+)$/.exec(line)?.slice(1) ?? [line, '']);

  test('has instructions that Docker knows, in two stages, and ends without root rights', () => {
    const known = [
      'FROM',
      'ARG',
      'WORKDIR',
      'RUN',
      'ENV',
      'COPY',
      'USER',
      'VOLUME',
      'EXPOSE',
      'HEALTHCHECK',
      'ENTRYPOINT',
    ];
    expect(instructions.filter(([name]) => !known.includes(name ?? ''))).toEqual([]);
    expect(instructions.filter(([name]) => name === 'FROM')).toHaveLength(2);
    const names = instructions.map(([name]) => name);
    expect(instructions[names.lastIndexOf('USER')]).toEqual(['USER', 'node']);
    expect(names).toContain('HEALTHCHECK');
  });

  // It loads the base images' descriptions from a registry, so it is left to CI.
  const canCheck = process.env['CI'] === 'true' && spawnSync('docker', ['buildx', 'inspect']).status === 0;
  test.skipIf(!canCheck)('passes the checks of Docker itself, where Docker is installed', async () => {
    await run('docker', ['build', '--check', '--file', example('docker/Dockerfile'), example('docker')]);
  });

  test('starts the command with flags that it has', () => {
    const [, text = ''] = instructions.find(([name]) => name === 'ENTRYPOINT') ?? [];
    const [, script, name, ...flags]: string[] = JSON.parse(text);
    const { bin } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect([script, name]).toEqual([`node_modules/billpay/${bin.billpay.replace('./', '')}`, 'sandbox']);
    const command = sandboxCommand(new FakeProcess());
    expect(command.parseOptions(flags)).toEqual({ operands: [], unknown: [] });
    expect(optionsOf(command.opts())).toEqual({
      listen: { port: 4010, host: '0.0.0.0', allowRemote: true },
      sandbox: { state: '/data/sandbox.state', allowWebhookHosts: ['host.docker.internal', 'app'] },
    });
  });
});

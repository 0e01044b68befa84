import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  CommandError,
  createCommand,
  exitCodes,
  nairaAmount,
  readEnvFile,
  runCommand,
  wholeNumber,
} from '../../src/commands/frame.js';
import { ConfigurationError } from '../../src/errors/base.js';
import { FakeProcess } from '../support/fake-process.js';
import { temporaryFile } from '../support/temporary-file.js';

interface Options {
  readonly count?: number;
  readonly state?: string;
}

/** Runs `billpay run` with these arguments. */
async function run(
  args: readonly string[],
  act: (options: Options) => unknown = () => exitCodes.done,
  process = new FakeProcess(),
) {
  const program = createCommand('billpay', process);
  const command = createCommand('run', process)
    .description('Runs.')
    .option('--count <n>', 'How many', wholeNumber(1, 99))
    .option('--state <file>', 'Where it is kept')
    .addOption(new Option('--clock <kind>', 'Which clock').choices(['real', 'manual', 'none']))
    .option('--amount <ngn>', 'How much', nairaAmount)
    .option('--hosts <names...>', 'Which hosts')
    .action(async (options: Options) => {
      process.exitCode = (await act(options)) as number;
    });
  program.addCommand(command);
  const exitCode = await runCommand(program, ['run', ...args], process);
  return { exitCode, out: process.written, err: process.complaints };
}

describe('the exit code', () => {
  it.each([0, 1, 2])('is what the action resolves to: %i', async (code) => {
    expect(await run([], () => code)).toEqual({ exitCode: code, out: '', err: '' });
  });

  it('is 0 for help, which is printed', async () => {
    const { exitCode, out } = await run(['--help']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Usage: billpay run \[options\]\n\nRuns\.\n/);
  });

  it.each([
    [new CommandError('no sandbox responds'), 2, 'no sandbox responds'],
    [new CommandError('the sandbox refused it', exitCodes.failed), 1, 'the sandbox refused it'],
    [new ConfigurationError('port', 'is wrong'), 2, 'port: is wrong'],
    [
      Object.assign(new Error('ENOENT: no such file or directory, open'), {
        code: 'ENOENT',
        syscall: 'open',
        path: '/x.csv',
      }),
      2,
      '/x.csv does not exist: check the path (ENOENT)',
    ],
  ])('of what a person can put right, in one line: %s', async (error, exitCode, message) => {
    const end = await run([], () => Promise.reject(error));
    expect(end).toEqual({ exitCode, out: '', err: `billpay run: ${message}\n` });
  });

  it('of a defect is left to Node', async () => {
    await expect(run([], () => Promise.reject(new TypeError('x is not a function')))).rejects.toThrow(
      'x is not a function',
    );
  });
});

describe('a command line', () => {
  it('is read by the readers of its options', async () => {
    let given: object = {};
    await run(
      ['--count', '1', '--count=2', '--state', '-', '--clock', 'manual', '--amount', '99.50'],
      (options) => {
        given = options;
        return 0;
      },
    );
    expect(given).toEqual({ count: 2, state: '-', clock: 'manual', amount: 99.5 });
  });

  it.each([
    [['--cout', '1'], "unknown option '--cout' (Did you mean --count?) See billpay run --help."],
    [['--count'], "option '--count <n>' argument missing. See billpay run --help."],
    [['more'], "too many arguments for 'run'. Expected 0 arguments but got 1. See billpay run --help."],
    [
      ['--count', 'x'],
      "option '--count <n>' argument 'x' is invalid. It must be a whole number from 1 to 99.",
    ],
    [
      ['--clock', 'x'],
      "option '--clock <kind>' argument 'x' is invalid. Allowed choices are real, manual, none.",
    ],
    [
      ['--amount', '-1'],
      "option '--amount <ngn>' argument '-1' is invalid. It must be an amount of NGN such as 5000 or 99.50.",
    ],
    [['--state', '--quiet'], '--state needs a value: --state <file>'],
    [['--state='], '--state needs a value: --state <file>'],
    [['--hosts', 'a', ''], '--hosts needs a value: --hosts <names...>'],
  ])('is refused in one line: %j', async (args, message) => {
    expect(await run(args)).toEqual({ exitCode: 2, out: '', err: `billpay run: ${message}\n` });
  });
});

describe('an error', () => {
  const long = 'one two three four five six seven eight nine ten';
  const fail = () => {
    throw new CommandError(`\u001b[2J${long}`);
  };

  it('is wrapped at the width of a terminal, without what the terminal would obey', async () => {
    const { err } = await run([], fail, new FakeProcess({ isTTY: true, columns: 40 }));
    const lines = err.trimEnd().split('\n');
    expect(lines.length).toBe(2);
    expect(lines.join(' ')).toContain(`?[2J${long}`);
  });

  it('is one line elsewhere', async () => {
    expect((await run([], fail)).err).toBe(`billpay run: ?[2J${long}\n`);
  });
});

describe('--env', () => {
  it.each(['', '\ufeff'])('reads a file that begins with %j, and fills what is unset or empty', (mark) => {
    const file = temporaryFile(`${mark}A=1\r\nB=2\r\nC=\r\n`);
    const env = { A: '', B: 'set' };
    readEnvFile(file, env);
    expect(env).toEqual({ A: '1', B: 'set' });
  });

  it('says which file cannot be read', () => {
    expect(() => readEnvFile('/missing/.env', {})).toThrow(
      '--env: /missing/.env cannot be read (ENOENT): check the path',
    );
  });
});

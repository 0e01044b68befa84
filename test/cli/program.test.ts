import { describe, expect, it } from 'vitest';
import { CommandError, runProgram, UsageError } from '../../src/cli/program.js';
import { type CommandProcess, colours, paintFor, plain } from '../../src/cli/terminal.js';
import { ConfigurationError } from '../../src/errors/configuration-error.js';

/** How a command ends whose work throws. */
async function end(thrown: unknown) {
  const lines: string[] = [];
  const exitCode = await runProgram('billpay x', () => Promise.reject(thrown), {
    stderr: { write: (text: string) => lines.push(text) },
  });
  return { exitCode, lines };
}

describe('runProgram', () => {
  it.each([
    [new UsageError('needs a NAME'), 2, 'billpay x: needs a NAME\n'],
    [new CommandError(3, 'no sandbox responds'), 3, 'billpay x: no sandbox responds\n'],
    [new ConfigurationError('port', 'is wrong'), 2, 'billpay x: port: is wrong\n'],
    [
      Object.assign(new Error('EACCES: permission denied\nopen /x'), { syscall: 'open' }),
      1,
      'billpay x: EACCES: permission denied open /x\n',
    ],
  ])('ends %s in one line', async (error, exitCode, line) => {
    expect(await end(error)).toEqual({ exitCode, lines: [line] });
  });

  it('throws what is a defect', async () => {
    await expect(end(new TypeError('x is not a function'))).rejects.toThrow('x is not a function');
  });

  it('passes on the exit code of the work', async () => {
    expect(await runProgram('x', async () => 1, { stderr: { write: () => {} } })).toBe(1);
  });
});

describe('colours', () => {
  const terminal = { isTTY: true, hasColors: () => true, write: () => {}, on: () => {} };
  const pipe = { write: () => {}, on: () => {} };

  it.each<[string, CommandProcess['stdout'], CommandProcess['env'], boolean]>([
    ['a terminal', terminal, {}, true],
    ['a terminal without colours', { ...terminal, hasColors: () => false }, {}, false],
    ['a pipe', pipe, {}, false],
    ['a pipe, forced', pipe, { FORCE_COLOR: '1' }, true],
    ['a pipe, forced by an empty value', pipe, { FORCE_COLOR: '' }, true],
    ['a terminal, forced off', terminal, { FORCE_COLOR: '0' }, false],
    ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['both variables', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('on %s', (_, stdout, env, expected) => {
    expect(paintFor({ stdout, env })).toBe(expected ? colours : plain);
  });
});

import { describe, expect, it } from 'vitest';
import { columns, wrapped } from '../../src/cli/columns.js';
import { anyText, parseFlags, takeArguments, textThat, wholeNumber, wordOf } from '../../src/cli/flags.js';
import { UsageError } from '../../src/cli/program.js';

const flags = {
  count: {
    value: 'NUMBER',
    help: 'How many',
    schema: wholeNumber(1, 99),
  },
  state: { value: 'FILE', schema: anyText, help: 'Where it is kept' },
  host: { value: 'NAME', schema: anyText, many: true, help: 'Each of them' },
  clock: { value: 'KIND', schema: wordOf(['real', 'manual', 'none']), help: 'Which clock' },
  token: {
    value: 'TOKEN',
    schema: textThat(() => false, 'must be another'),
    isSecret: true,
    help: 'A secret',
  },
  quiet: { help: 'Print less' },
  help: { short: 'h', help: 'Print this' },
} as const;

describe('parseFlags', () => {
  it('reads values by their schemas, the last one of each flag, and all of one that may be repeated', () => {
    const parsed = parseFlags(
      ['run', '--count', '1', '--count=2', '--quiet', '--state', '-', '--host=a', '--host', 'b'],
      flags,
    );
    expect(parsed.given).toEqual({ count: 2, quiet: true, state: '-', host: ['a', 'b'] });
    expect(parsed.positionals).toEqual(['run']);
  });

  it.each([
    [['--cout', '1'], 'has no flag --cout (did you mean --count?); see --help'],
    [['--wholly-other=secret'], 'has no flag --wholly-other; see --help'],
    [['--count', 'x'], '--count must be a whole number from 1 to 99, not x'],
    [['--clock', 'x'], '--clock must be one of real, manual, none, not x'],
    [['--token', 'x'], '--token must be another'],
    [['--state', '--quiet'], '--state needs a value: --state FILE'],
    [['--state'], '--state needs a value: --state FILE'],
    [['--state='], '--state needs a value: --state FILE'],
    [['--quiet=1'], '--quiet is a switch and takes no value'],
  ])('refuses %j in one line', (args, message) => {
    expect(() => parseFlags(args, flags)).toThrow(new UsageError(message));
  });

  it('takes a value that begins with two dashes where it is written with =', () => {
    expect(parseFlags(['--state=--odd'], flags).given).toEqual({ state: '--odd' });
  });

  it('asks for help before it finds fault with a value', () => {
    expect(parseFlags(['--count', 'x', '-h'], flags).given.help).toBe(true);
  });
});

describe('takeArguments', () => {
  it('names what is missing, and what is too much', () => {
    expect(takeArguments({ positionals: ['a'] }, 'a NAME')).toEqual(['a']);
    expect(() => takeArguments({ positionals: [] }, 'a NAME')).toThrow('needs a NAME; see --help');
    expect(() => takeArguments({ positionals: ['a'] })).toThrow('takes no argument a; see --help');
  });
});

describe('help', () => {
  it('has lines of at most 80 characters', () => {
    const words = Array.from({ length: 60 }, (_, at) => 'x'.repeat(1 + (at % 9))).join(' ');
    const lines = [
      ...wrapped(words),
      ...columns([
        ['--a-flag-with-a-long-name VALUE', words],
        ['-b', words],
      ]),
    ];
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(wrapped(words).join(' ')).toBe(words);
  });
});

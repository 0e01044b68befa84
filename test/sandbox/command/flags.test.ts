import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/program.js';
import { readFlags } from '../../../src/sandbox/command/flags.js';

const nothingGiven = {
  port: undefined,
  webhookUrl: undefined,
  quiet: false,
  verbose: false,
  json: false,
  config: undefined,
  listen: {},
  sandbox: {},
};

describe('the command line', () => {
  it('has a default for everything', () => {
    expect(readFlags([])).toEqual(nothingGiven);
  });

  it('hands on what was given', () => {
    const args =
      '--port=0 --settle-after 3s --rate-limits --balance 99.50 --webhook-url http://localhost:1/h --seed s --quiet --json';
    expect(readFlags(args.split(' '))).toEqual({
      port: 0,
      webhookUrl: 'http://localhost:1/h',
      quiet: true,
      verbose: false,
      json: true,
      config: undefined,
      listen: {},
      sandbox: { rateLimits: true, settleAfter: 3000, balance: 99.5, seed: 's' },
    });
  });

  it('hands on what concerns state, configuration and the network', () => {
    const args =
      '--state s.state --config c.json --clock manual --host 0.0.0.0 --allow-remote --control-token 0123456789abcdef --allow-webhook-host app --allow-webhook-host host.docker.internal --webhook-sends 7 --settle-after 0';
    expect(readFlags(args.split(' '))).toEqual({
      ...nothingGiven,
      config: 'c.json',
      listen: { host: '0.0.0.0', allowRemote: true, controlToken: '0123456789abcdef' },
      sandbox: {
        settleAfter: 0,
        state: 's.state',
        clock: 'manual',
        allowWebhookHosts: ['app', 'host.docker.internal'],
        webhookSends: 7,
      },
    });
  });

  it('takes manual settlement, and the last of two values', () => {
    expect(readFlags(['--settle-after', '1s', '--settle-after', 'manual'])).toMatchObject({
      sandbox: { settleAfter: 'manual' },
    });
  });

  it.each([
    [['--help'], 'help'],
    [['-h'], 'help'],
    [['--version'], 'version'],
    [['--port', 'nonsense', '--help'], 'help'],
  ])('%j asks for the %s', (args, expected) => {
    expect(readFlags(args)).toBe(expected);
  });

  it.each([
    [['--prot', '1'], 'has no flag --prot (did you mean --port?); see --help'],
    [['-x'], 'has no flag -x; see --help'],
    [['--toString'], 'has no flag --toString; see --help'],
    [['4010'], 'takes no argument 4010; see --help'],
    [['--', 'x'], 'takes no argument x; see --help'],
    [['--port'], '--port needs a value: --port NUMBER'],
    [['--state', '--quiet'], '--state needs a value: --state FILE'],
    [['--seed='], '--seed needs a value: --seed TEXT'],
    [['--quiet=yes'], '--quiet is a switch and takes no value'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65535, not 65536'],
    [['--port', '0x10'], '--port must be a whole number from 0 to 65535, not 0x10'],
    [['--port', '-1'], '--port must be a whole number from 0 to 65535, not -1'],
    [['--settle-after', '3'], '--settle-after must be a time such as 250ms, 3s or 5m, or manual, not 3'],
    [
      ['--settle-after', 'soon'],
      '--settle-after must be a time such as 250ms, 3s or 5m, or manual, not soon',
    ],
    [['--clock', 'fast'], '--clock must be real or manual, not fast'],
    [['--webhook-sends', '9'], '--webhook-sends must be 7 or 8, not 9'],
    [['--balance', '-5'], '--balance must be an amount of NGN such as 5000 or 99.50, not -5'],
    [['--balance', '1e9'], '--balance must be an amount of NGN such as 5000 or 99.50, not 1e9'],
    [['--balance', '0.001'], '--balance must be an amount of NGN such as 5000 or 99.50, not 0.001'],
  ])('%j is refused in one line', (args, message) => {
    expect(() => readFlags(args)).toThrow(new UsageError(message));
  });
});

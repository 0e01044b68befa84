import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../../src/cli/flags.js';
import { flags, givenOptions } from '../../../src/sandbox/command/flags.js';
import { runCommand } from '../../../src/sandbox/command/run.js';
import { version } from '../../../src/version.js';
import { FakeProcess } from '../../support/fake-process.js';

const optionsOf = (args: string) => givenOptions(parseFlags(args.split(' ').filter(Boolean), flags).given);

describe('the command line', () => {
  it('sets nothing that was not given', () => {
    expect(optionsOf('--quiet')).toEqual({ listen: {}, sandbox: {} });
  });

  it('sets the options of the sandbox and of its port', () => {
    expect(
      optionsOf('--port=0 --settle-after 3s --rate-limits --balance 99.50 --seed s --webhook-sends 7'),
    ).toEqual({
      listen: { port: 0 },
      sandbox: { rateLimits: true, settleAfter: 3000, balance: 99.5, seed: 's', webhookSends: 7 },
    });
    expect(
      optionsOf(
        '--state s.state --clock manual --host 0.0.0.0 --allow-remote --control-token 0123456789abcdef --allow-webhook-host app --allow-webhook-host host.docker.internal --settle-after 0',
      ),
    ).toEqual({
      listen: { host: '0.0.0.0', allowRemote: true, controlToken: '0123456789abcdef' },
      sandbox: {
        settleAfter: 0,
        state: 's.state',
        clock: 'manual',
        allowWebhookHosts: ['app', 'host.docker.internal'],
      },
    });
  });

  it('takes manual settlement, and the last of two values', () => {
    expect(optionsOf('--settle-after 1s --settle-after manual').sandbox).toEqual({ settleAfter: 'manual' });
  });

  it.each([
    ['--help', 'Usage: billpay sandbox [flags]\n'],
    ['-h', 'Usage: billpay sandbox [flags]\n'],
    ['help', 'Usage: billpay sandbox [flags]\n'],
    ['--port nonsense --help', 'Usage: billpay sandbox [flags]\n'],
    ['--version', `${version}\n`],
  ])('%j prints what it asks for', async (args, begin) => {
    const around = new FakeProcess();
    expect(await runCommand(args.split(' '), around)).toBe(0);
    expect(around.written.startsWith(begin)).toBe(true);
  });

  it.each([
    [['--prot', '1'], 'has no flag --prot (did you mean --port?); see --help'],
    [['-x'], 'has no flag -x; see --help'],
    [['--toString'], 'has no flag --toString; see --help'],
    [['--quiet', '4010'], 'takes no argument 4010; see --help'],
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
  ])('%j is refused in one line', async (args, message) => {
    const around = new FakeProcess();
    expect(await runCommand(args, around)).toBe(2);
    expect(around.complaints).toBe(`billpay sandbox: ${message}\n`);
  });
});

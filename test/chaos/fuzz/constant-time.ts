import * as node from '../../../src/webhooks/hmac/node.js';
import * as pure from '../../../src/webhooks/hmac/pure.js';
import { Random } from '../../support/random.js';

type Hmac = Pick<typeof node, 'hmacHex' | 'hmacMatches'>;

/** A wrong implementation that stops at the first wrong digit. Unless the test detects this one, its other results mean nothing. */
const leaky: Hmac = {
  hmacHex: node.hmacHex,
  hmacMatches(secret, timestamp, body, signature) {
    const right = node.hmacHex(secret, timestamp, body);
    for (let at = 0; at < right.length; at++) if (right[at] !== signature[at]) return false;
    return true;
  },
};

export const implementations = { node, pure, leaky } satisfies Record<string, Hmac>;

/**
 * Whether the time of a comparison depends on where a forged signature is wrong: Welch's t between signatures that are
 * wrong in their first digit and ones that are wrong in their last, measured in random order, the slowest tenth (which
 * is caused by the machine, not by the code) left out. Beyond 4.5 the times differ.
 */
export function timingDifference(implementation: keyof typeof implementations, samples: number): number {
  const { hmacHex, hmacMatches } = implementations[implementation];
  const body = JSON.stringify({ event: 'transaction.completed', data: { reference: 'TXN-1' } });
  const right = hmacHex('whsec_timing_4f9c1d7e8b2a', '1769851800', body);
  const otherThan = (digit: string | undefined) => (digit === '0' ? '1' : '0');
  const forged = [
    otherThan(right[0]) + right.slice(1),
    right.slice(0, -1) + otherThan(right.at(-1)),
  ] as const;
  const random = new Random('timing');
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < samples; n++) {
    const which = random.int(0, 1) as 0 | 1;
    const signature = forged[which];
    const startedAt = process.hrtime.bigint();
    const matches = hmacMatches('whsec_timing_4f9c1d7e8b2a', '1769851800', body, signature);
    const took = Number(process.hrtime.bigint() - startedAt);
    if (matches) throw new Error('a forged signature matched');
    // The first ones measure compilation.
    if (n > samples / 10) times[which].push(took);
  }
  return welch(fastest(times[0]), fastest(times[1]));
}

const fastest = (times: number[]): number[] =>
  times.sort((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));

function welch(a: readonly number[], b: readonly number[]): number {
  const [inA, inB] = [spread(a), spread(b)];
  return (inA.mean - inB.mean) / Math.sqrt(inA.variance / a.length + inB.variance / b.length);
}

function spread(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}

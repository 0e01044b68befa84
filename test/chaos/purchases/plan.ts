import type { FaultOptions } from '../../../src/sandbox/index.js';
import { Random } from '../../support/random.js';
import type { Ending, Fault, Welcome } from '../proxy/faults.js';
import { none } from '../proxy/faults.js';
import type { Order } from './orders.js';

/** How one call is made. */
export interface CallPlan {
  readonly maxRetries: number;
  /** Aborts the call after so many ms; undefined for never. */
  readonly abortAfterMs: number | undefined;
  /** How often the caller repeats a doubtful call with its key while the network is still bad. */
  readonly resumes: number;
  /** What goes wrong inside the service. */
  readonly serviceFault: FaultOptions | undefined;
}

/** Bytes to cut at: somewhere in a message of this size, or after its end. */
const longestMessage = 620;

const endings: readonly [Ending, ...Ending[]] = ['fin', 'rst'];

/** Pages of a gateway, sent in place of the service's response or without asking the service: no status proves anything. */
const pageStatuses: readonly [number, ...number[]] = [
  200, 202, 302, 400, 401, 402, 403, 404, 405, 408, 413, 422, 429, 499, 500, 502, 503, 504,
];

const faults: readonly [(random: Random) => Fault, ...((random: Random) => Fault)[]] = [
  (random) => ({ kind: 'cut-request', at: random.int(0, longestMessage), how: random.pick(endings) }),
  (random) => ({ kind: 'cut-response', at: random.int(0, longestMessage), how: random.pick(endings) }),
  (random) => ({ kind: 'cut-response', at: 0, how: random.pick(endings) }),
  (random) => ({ kind: 'stall-request', at: random.int(0, longestMessage) }),
  (random) => ({ kind: 'stall-response', at: random.int(0, longestMessage) }),
  (random) => ({ kind: 'half-open', at: random.int(0, longestMessage), afterMs: random.int(0, 5) }),
  (random) => ({ kind: 'drip-request', bytes: random.int(3, 40), everyMs: random.int(1, 4) }),
  (random) => ({ kind: 'drip-response', bytes: random.int(3, 40), everyMs: random.int(1, 4) }),
  (random) => ({ kind: 'late', afterMs: random.int(1, 400), how: random.pick(endings) }),
  () => ({ kind: 'twice' }),
  (random) => ({ kind: 'page', status: random.pick(pageStatuses), forwarded: true }),
  (random) => ({ kind: 'page', status: random.pick(pageStatuses), forwarded: false }),
];

/** A service that refuses an order keeps refusing it: no repeat, not even a proxy's, is accepted beside the refusal. */
const refusing = { when: 'before', times: 'always' } as const;

const serviceFaults: readonly [FaultOptions, ...FaultOptions[]] = [
  { when: 'after', status: 500 },
  { when: 'before', status: 500 },
  { when: 'after', status: 502, body: '<html>bad gateway</html>' },
  { when: 'after', connection: 'close' },
  { when: 'after', cutBody: true },
  { when: 'after', delay: 300 },
  { when: 'before', delay: 120 },
  { ...refusing, status: 503, code: 'PROVIDER_UNAVAILABLE' },
  { ...refusing, status: 503, code: 'QUEUE_UNAVAILABLE' },
  { ...refusing, status: 429, retryAfter: 0 },
  { ...refusing, status: 402, code: 'INSUFFICIENT_BALANCE' },
  { ...refusing, status: 422, code: 'AMOUNT_MISMATCH' },
];

/** The fault that meets attempt n of an order (1 for the first). */
export function faultFor(seed: string, order: string, n: number): Fault {
  const random = new Random(`${seed} fault ${order} ${n}`);
  return random.chance(0.35) ? random.pick(faults)(random) : none;
}

/** What connection n meets (1 for the first). */
export function welcomeFor(seed: string, n: number): Welcome {
  const random = new Random(`${seed} connection ${n}`);
  return random.chance(0.03) ? random.pick(['reset', 'silent']) : 'served';
}

/** For how many ms the proxy is unreachable when an order begins; undefined if it stays reachable. */
export function outageFor(seed: string, order: Order): number | undefined {
  const random = new Random(`${seed} outage ${order.id}`);
  return random.chance(0.005) ? random.int(10, 60) : undefined;
}

export function callPlanFor(seed: string, order: Order, concurrency: number): CallPlan {
  const random = new Random(`${seed} call ${order.id}`);
  return {
    // The waits between attempts are real, so few calls retry where few run in parallel.
    maxRetries: random.chance(concurrency / 80) ? random.int(1, 3) : 0,
    abortAfterMs: random.chance(0.04) ? random.int(0, 60) : undefined,
    resumes: random.int(0, 2),
    serviceFault: random.chance(0.08)
      ? { ...random.pick(serviceFaults), recipient: order.recipient }
      : undefined,
  };
}

/** How many calls run in parallel in each wave: between 1 and 32. */
export function* wavesFor(
  seed: string,
  purchases: number,
): Generator<{ readonly concurrency: number; readonly size: number }> {
  const random = new Random(`${seed} waves`);
  for (let left = purchases, n = 0; left > 0; n++) {
    const concurrency = n === 0 ? 32 : n === 1 ? 1 : random.int(1, 32);
    const size = Math.min(left, concurrency * random.int(6, 12));
    left -= size;
    yield { concurrency, size };
  }
}

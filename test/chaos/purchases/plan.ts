import fc from 'fast-check';
import type { FaultOptions } from '../../../src/sandbox/index.js';
import type { Ending, Fault, Welcome } from '../proxy/faults.js';
import { none } from '../proxy/faults.js';
import { drawn, sometimes } from './drawn.js';
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

/** Pages of a gateway, sent in place of the service's response or without asking the service: no status proves anything. */
const pageStatuses = [
  200, 202, 302, 400, 401, 402, 403, 404, 405, 408, 413, 422, 429, 499, 500, 502, 503, 504,
] as const;

const ms = (min: number, max: number) => fc.integer({ min, max });
const at = fc.integer({ min: 0, max: longestMessage });
const how = fc.constantFrom<Ending>('fin', 'rst');

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cut-request', 'cut-response'), at, how }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut-response'), at: fc.constant(0), how }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('stall-request', 'stall-response'), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('half-open'), at, afterMs: ms(0, 5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('drip-request', 'drip-response'),
      bytes: fc.integer({ min: 3, max: 40 }),
      everyMs: ms(1, 4),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late'), afterMs: ms(1, 400), how }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'twice' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('page'),
      status: fc.constantFrom(...pageStatuses),
      forwarded: fc.boolean(),
    }),
  },
);

/** A service that refuses an order keeps refusing it: no repeat, not even a proxy's, is accepted beside the refusal. */
const refusing = { when: 'before', times: 'always' } as const;

const serviceFault = fc.constantFrom<FaultOptions>(
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
);

/** The fault that meets attempt n of an order (1 for the first). */
export const faultFor = (seed: string, order: string, n: number): Fault =>
  drawn(sometimes(0.35, fault), `${seed} fault ${order} ${n}`) ?? none;

/** What connection n meets (1 for the first). */
export const welcomeFor = (seed: string, n: number): Welcome =>
  drawn(sometimes(0.03, fc.constantFrom<Welcome>('reset', 'silent')), `${seed} connection ${n}`) ?? 'served';

/** For how many ms the proxy is unreachable when an order begins; undefined if it stays reachable. */
export const outageFor = (seed: string, order: Order): number | undefined =>
  drawn(sometimes(0.005, ms(10, 60)), `${seed} outage ${order.id}`);

export function callPlanFor(seed: string, order: Order, concurrency: number): CallPlan {
  const plan = fc.record({
    // The waits between attempts are real, so few calls retry where few run in parallel.
    maxRetries: sometimes(concurrency / 80, fc.integer({ min: 1, max: 3 })).map((retries = 0) => retries),
    abortAfterMs: sometimes(0.04, ms(0, 60)),
    resumes: fc.integer({ min: 0, max: 2 }),
    serviceFault: sometimes(
      0.08,
      serviceFault.map((one) => ({ ...one, recipient: order.recipient })),
    ),
  });
  return drawn(plan, `${seed} call ${order.id}`);
}

/** How many calls run in parallel in each wave: between 1 and 32. */
export function* wavesFor(
  seed: string,
  purchases: number,
): Generator<{ readonly concurrency: number; readonly size: number }> {
  const wave = fc.record({
    concurrency: fc.integer({ min: 1, max: 32 }),
    rounds: fc.integer({ min: 6, max: 12 }),
  });
  for (let left = purchases, n = 0; left > 0; n++) {
    const { rounds, ...any } = drawn(wave, `${seed} wave ${n}`);
    const concurrency = n === 0 ? 32 : n === 1 ? 1 : any.concurrency;
    const size = Math.min(left, concurrency * rounds);
    left -= size;
    yield { concurrency, size };
  }
}

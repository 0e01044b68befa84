import { setTimeout as delay } from 'node:timers/promises';
import { BillPay, BillPayError, type Transport } from '../../../src/index.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { type Fault, none, type Welcome } from '../proxy/faults.js';
import { FaultyProxy } from '../proxy/proxy.js';
import { type CallEnd, type History, keyOf, problemsIn, standOf } from './books.js';
import { rewriteEcho } from './echo.js';
import { type Order, orderOf } from './orders.js';
import { type CallPlan, callPlanFor, faultFor, outageFor, wavesFor, welcomeFor } from './plan.js';

export interface RunOptions {
  readonly seed: string;
  readonly purchases: number;
  /** ms that an attempt is given. */
  readonly timeout: number;
  /** The client's transport. Default: the default one, over the global `fetch`. */
  readonly transport?: Transport | undefined;
}

/** The result of a run. */
export interface RunReport {
  readonly seed: string;
  /** A sentence for each problem; empty when there is none. */
  readonly problems: readonly string[];
  /** How many orders were in which state before the network was healthy again. */
  readonly stands: Readonly<Record<'sold' | 'doubtful' | 'refused', number>>;
  /** What each request met, by the order it was for, oldest first. */
  readonly met: ReadonlyMap<string, readonly Fault[]>;
  /** How many requests met which fault, connections refused included. */
  readonly faults: Readonly<Record<string, number>>;
  /** How many calls ended in which error. */
  readonly errors: Readonly<Record<string, number>>;
  readonly charges: number;
  readonly ms: number;
}

const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Buys through a bad network and compares the books with the results of the calls; then, over a healthy network, resumes what is in doubt and compares again. */
export async function runSeed({ seed, purchases, timeout, transport }: RunOptions): Promise<RunReport> {
  const startedAt = performance.now();
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9, seed });
  const listening = await sandbox.listen();
  const faults: Record<string, number> = {};
  const met = new Map<string, Fault[]>();
  const proxy = await FaultyProxy.start({
    targetPort: listening.port,
    faultFor: plannedFaults(seed, met),
    rewrite: (response) => rewriteEcho(seed, response),
    welcome: (n) => {
      const welcome: Welcome = welcomeFor(seed, n);
      if (welcome !== 'served') count(faults, `connection ${welcome}`);
      return welcome;
    },
  });
  const client = new BillPay({
    ...listening.connection,
    baseUrl: `http://127.0.0.1:${proxy.port}/api/v1`,
    logLevel: 'off',
    transport,
  });
  const histories: OrderHistory[] = [];
  let outage = Promise.resolve();
  let n = 0;
  for (const { concurrency, size } of wavesFor(seed, purchases)) {
    const last = n + size;
    const lane = async () => {
      while (n < last) {
        n += 1;
        const history = new OrderHistory(orderOf(seed, n));
        histories.push(history);
        const ms = outageFor(seed, history.details);
        if (ms !== undefined) {
          count(faults, 'outage');
          outage = outage.then(() => proxy.outage(ms));
        }
        const plan = callPlanFor(seed, history.details, concurrency);
        if (plan.serviceFault) sandbox.faults.add(plan.serviceFault);
        await buyBadly(client, history, plan, timeout);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
  }
  await outage;
  await proxy.heal();
  for (const own of met.values()) for (const { kind } of own) count(faults, kind);
  await nothingHeld(sandbox);
  const errors: Record<string, number> = {};
  for (const { ends } of histories) for (const end of ends) if ('error' in end) count(errors, end.error);
  const stands = { sold: 0, doubtful: 0, refused: 0 };
  for (const history of histories) stands[standOf(history)] += 1;
  const problems = [...problemsIn(histories, sandbox.transactions), ...sandbox.audit().problems];

  sandbox.faults.clear();
  const doubtful = histories.filter((history) => standOf(history) === 'doubtful');
  for (let at = 0; at < doubtful.length; at += 32) {
    await Promise.all(doubtful.slice(at, at + 32).map((history) => resume(client, history)));
  }
  for (const history of doubtful) {
    if (standOf(history) !== 'sold') {
      const last = history.ends.at(-1);
      problems.push(`${history.order} could not be resumed: ${last && 'error' in last && last.error}`);
    }
  }
  problems.push(...problemsIn(histories, sandbox.transactions), ...sandbox.audit().problems);
  const charges = sandbox.transactions.length;
  await proxy.close();
  await sandbox.close();
  return {
    seed,
    problems: [...new Set(problems)],
    stands,
    met: new Map(histories.map(({ order, recipient }) => [order, met.get(recipient) ?? []])),
    faults,
    errors,
    charges,
    ms: Math.round(performance.now() - startedAt),
  };
}

/** A history that is being written. */
class OrderHistory implements History {
  readonly details: Order;
  readonly ends: CallEnd[] = [];

  constructor(details: Order) {
    this.details = details;
  }

  get order(): string {
    return this.details.id;
  }

  get recipient(): string {
    return this.details.recipient;
  }
}

/** Faults by order and attempt, so that a seed makes the same ones whatever the order of its calls. */
function plannedFaults(seed: string, met: Map<string, Fault[]>): (request: Buffer) => Fault {
  return (request) => {
    const recipient = /"recipient":"(\d+)"/.exec(request.toString('latin1'))?.[1];
    if (recipient === undefined) return none;
    const own = met.get(recipient) ?? [];
    met.set(recipient, own);
    const fault = faultFor(seed, recipient, own.length + 1);
    own.push(fault);
    return fault;
  };
}

async function buyBadly(
  client: BillPay,
  history: OrderHistory,
  { maxRetries, abortAfterMs, resumes }: CallPlan,
  timeout: number,
): Promise<void> {
  const { details } = history;
  let key = details.key;
  for (let call = 0; call <= resumes; call++) {
    const controller = new AbortController();
    const timer = abortAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), abortAfterMs);
    history.ends.push(
      await endOf(
        details.buy(client, key, { maxRetries, timeout, signal: controller.signal, resume: call > 0 }),
      ),
    );
    clearTimeout(timer);
    if (standOf(history) !== 'doubtful') return;
    key = keyOf(history);
    if (key === undefined) return;
  }
}

/** Repeats a doubtful purchase with its key over a network that works. */
async function resume(client: BillPay, history: OrderHistory): Promise<void> {
  const key = keyOf(history);
  if (key === undefined) return;
  history.ends.push(
    await endOf(history.details.buy(client, key, { maxRetries: 4, timeout: 10_000, resume: true })),
  );
}

async function endOf(call: Promise<{ reference: string; idempotency_key: string }>): Promise<CallEnd> {
  try {
    const { reference, idempotency_key: key } = await call;
    return { is: 'sold', key, reference };
  } catch (error) {
    if (!(error instanceof BillPayError)) return { is: 'untyped', key: undefined, error: String(error) };
    const { idempotencyKey: key, name, mayHaveCharged } = error;
    return { is: mayHaveCharged ? 'doubtful' : 'refused', key, error: name };
  }
}

/** Waits for responses that the service itself delays (by at most 300 ms). */
const nothingHeld = async (sandbox: Sandbox): Promise<void> => {
  await delay(400);
  await sandbox.idle();
};

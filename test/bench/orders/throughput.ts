import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Contender, Surroundings } from './contender.js';

/** What one run of a contender took. */
export interface Throughput {
  readonly ordersPerSecond: number;
  /** ms of CPU time of this process, for each order: client, layer and engine, not the database. */
  readonly cpuMs: number;
  /** Statements for each order. */
  readonly queries: { readonly orders: number; readonly engine: number };
}

type Open = (surroundings: Surroundings) => Promise<Contender>;
type Given = Omit<Surroundings, 'onBuy' | 'onAccepted' | 'run'>;

/** Counts the statements of all pools in this process. */
function countQueries() {
  const counted = { orders: 0, engine: 0 };
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = new Proxy(original, {
    apply(query, client, given: unknown[]) {
      const [first] = given;
      const text = typeof first === 'string' ? first : String(Reflect.get(Object(first), 'text'));
      counted[/_boss_/.test(text) ? 'engine' : 'orders']++;
      return Reflect.apply(query, client, given);
    },
  });
  return {
    counted,
    restore: () => {
      pg.Client.prototype.query = original;
    },
  };
}

let runs = 0;

async function opened(open: Open, given: Given, on: Pick<Surroundings, 'onBuy' | 'onAccepted'>) {
  runs++;
  return open({ ...given, ...on, run: `${process.pid}_${runs}` });
}

/** From the first order placed to the last one accepted, with the worker in the same process. */
export async function measureThroughput(open: Open, given: Given, count: number): Promise<Throughput> {
  let accepted = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const contender = await opened(open, given, {
    onBuy: () => {},
    onAccepted: () => {
      accepted++;
      if (accepted === count) finish();
    },
  });
  await contender.start();
  await delay(1500);
  const { counted, restore } = countQueries();
  const cpu = process.cpuUsage();
  const start = performance.now();
  let next = 0;
  const placer = async () => {
    while (next < count) await contender.place(`order-${next++}`);
  };
  await Promise.all(Array.from({ length: given.concurrency }, placer));
  await finished;
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  restore();
  await contender.stop();
  return {
    ordersPerSecond: count / seconds,
    cpuMs: (user + system) / 1000 / count,
    queries: { orders: counted.orders / count, engine: counted.engine / count },
  };
}

/** ms from `place` to the purchase, one order at a time on an idle worker. */
export async function measureLatency(open: Open, given: Given, count: number): Promise<number[]> {
  let bought = () => {};
  const contender = await opened(open, given, { onBuy: () => bought(), onAccepted: () => {} });
  await contender.start();
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    // At another point of the engine's polling each time.
    await delay(1300 + 37 * at);
    const buying = new Promise<void>((resolve) => {
      bought = resolve;
    });
    const start = performance.now();
    await contender.place(`late-${at}`);
    await buying;
    times.push(performance.now() - start);
  }
  await contender.stop();
  return times;
}

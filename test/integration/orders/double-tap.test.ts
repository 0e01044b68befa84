import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresOrderStore } from '../../../src/orders/index.js';
import { type BundledProgram, bundleProgram } from '../../support/bundle-program.js';
import { seedOfRun } from '../../support/seed.js';
import type { Tap, Tapped } from './kill/tapper.js';

const databaseUrl = process.env['BILLPAY_TEST_POSTGRES_URL'];
const table = `taps_${process.pid}`;
const rounds = 150;

let tapper: BundledProgram | undefined;
const shops: ChildProcess[] = [];
let pool: pg.Pool;

beforeAll(async () => {
  if (!databaseUrl) return;
  tapper = await bundleProgram(new URL('kill/tapper.ts', import.meta.url));
  pool = new pg.Pool({ connectionString: databaseUrl });
  await postgresOrderStore(pool, { table }).createTables();
  for (let n = 0; n < 3; n++) {
    const env = { ...process.env, DATABASE_URL: databaseUrl, TABLE: table };
    const shop = fork(tapper.program, { env });
    shops.push(shop);
    await once(shop, 'message');
  }
});

afterAll(async () => {
  for (const shop of shops) shop.disconnect();
  await tapper?.remove();
  await pool?.query(`DROP TABLE ${['', '_locks'].map((suffix) => table + suffix)}`);
  await pool?.end();
});

/** Lets every process tap at the same moment, and resolves to what became of each tap. */
async function tapTogether(taps: readonly (readonly Tap[])[]): Promise<Tapped[]> {
  const all: Tapped[] = [];
  await Promise.all(
    shops.map(async (shop, at) => {
      const own = taps[at] ?? [];
      let missing = own.length;
      const done = new Promise<void>((resolve) => {
        const hear = (tapped: Tapped) => {
          all.push(tapped);
          missing--;
          if (missing > 0) return;
          shop.off('message', hear);
          resolve();
        };
        shop.on('message', hear);
      });
      shop.send(own);
      await done;
    }),
  );
  return all;
}

let round = 0;

it.skipIf(!databaseUrl)(
  'three processes that tap together store one order each time, and show it to every tap',
  async () => {
    const seed = seedOfRun();
    console.log(`double tap: BILLPAY_TEST_SEED=${seed}`);
    const content = fc.record({
      amount: fc.constantFrom(100, 200),
      customer: fc.constantFrom('Ada', 'Bola'),
    });
    const ofProcess = fc.array(content, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(ofProcess, ofProcess, ofProcess), async (given) => {
        round++;
        const recipient = `0803${String(round).padStart(7, '0')}`;
        const at = Date.now() + 10;
        const taps = given.map((own, process) =>
          own.map((tap, n): Tap => ({ ...tap, id: `${round}-${process}-${n}`, at, recipient })),
        );
        const tapped = await tapTogether(taps);
        expect(tapped.filter(({ error }) => error !== undefined)).toEqual([]);
        const { rows } = await pool.query(
          `SELECT id, customer, (params::json ->> 'amount')::int AS amount FROM ${table} WHERE recipient = $1`,
          [recipient],
        );
        const contents = new Set(taps.flat().map(({ amount, customer }) => `${customer} ${amount}`));
        expect(rows.map(({ customer, amount }) => `${customer} ${amount}`).toSorted()).toEqual(
          [...contents].toSorted(),
        );
        // Each tap is shown the one order with its own content.
        const shown = new Map(tapped.map(({ id, order }) => [id, order]));
        for (const { id, amount, customer } of taps.flat()) {
          const own = rows.find((row) => row.customer === customer && row.amount === amount);
          expect(shown.get(id)).toBe(own?.id);
        }
      }),
      { seed, numRuns: rounds, endOnFailure: true },
    );
  },
  120_000,
);

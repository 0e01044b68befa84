import { describe, expect, it } from 'vitest';
import { BillPay, BillPayError, type Transport } from '../../src/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import type { Ending, Fault } from './proxy/faults.js';
import { FaultyProxy } from './proxy/proxy.js';
import { transportOf } from './transport.js';

/** The purchase whose connection broke at an offset. All were resumed afterwards. */
interface Broken {
  readonly at: number;
  readonly sold: boolean;
  /** What the error said; undefined where there was none. */
  readonly mayHaveCharged: boolean | undefined;
  /** Charged before it was resumed. */
  readonly charged: boolean;
}

interface Sweep {
  readonly results: readonly Broken[];
  /** The length of one request in bytes; all are equally long. */
  readonly request: number;
}

const offsets = 700;
const keyOf = (at: number) => `offset-${String(at).padStart(4, '0')}`;

/** One purchase for every offset, its connection broken there; then each is resumed with its key over a healthy network. */
async function sweep(
  kind: 'cut-request' | 'cut-response',
  how: Ending,
  transport: Transport | undefined,
): Promise<Sweep> {
  const sandbox = createSandbox({ settleAfter: 'manual', balance: 1e9 });
  const { port, connection } = await sandbox.listen();
  let request = 0;
  const proxy = await FaultyProxy.start({
    targetPort: port,
    faultFor: (bytes): Fault => {
      request = bytes.length;
      return { kind, at: Number(/"recipient":"(\d+)"/.exec(bytes.toString('latin1'))?.[1]), how };
    },
  });
  const client = new BillPay({
    ...connection,
    baseUrl: `http://127.0.0.1:${proxy.port}/api/v1`,
    logLevel: 'off',
    transport,
  });
  const buy = (at: number, maxRetries: number) =>
    client.airtime.purchase(
      { biller: 'MTN', recipient: String(at).padStart(11, '0'), amount: 100, idempotency_key: keyOf(at) },
      { maxRetries },
    );
  const forEach = async (work: (at: number) => Promise<void>) => {
    let next = 0;
    const lane = async () => {
      for (let at = next++; at <= offsets; at = next++) await work(at);
    };
    await Promise.all(Array.from({ length: 64 }, lane));
  };

  const ends = new Map<number, boolean | undefined>();
  await forEach(async (at) => {
    try {
      await buy(at, 0);
      ends.set(at, undefined);
    } catch (error) {
      if (!(error instanceof BillPayError)) throw error;
      ends.set(at, error.mayHaveCharged);
    }
  });
  await proxy.heal();
  const charged = new Set(sandbox.transactions.map(({ idempotency_key }) => idempotency_key));
  await forEach(async (at) => {
    const { reference } = await buy(at, 4);
    expect(sandbox.transaction(reference)?.idempotency_key).toBe(keyOf(at));
  });
  expect(sandbox.transactions).toHaveLength(offsets + 1);
  expect(sandbox.audit().problems).toEqual([]);
  await proxy.close();
  await sandbox.close();
  const results = [...ends].map(([at, mayHaveCharged]) => ({
    at,
    sold: mayHaveCharged === undefined,
    mayHaveCharged,
    charged: charged.has(keyOf(at)),
  }));
  return { results: results.sort((a, b) => a.at - b.at), request };
}

describe.each(['fetch', 'node'])('over %s', (name) => {
  describe.each<Ending>(['fin', 'rst'])('a connection that ends by %s', (how) => {
    it('at every byte of the request', { timeout: 240_000 }, async () => {
      const { results, request } = await sweep('cut-request', how, transportOf(name));
      expect(request).toBeLessThan(offsets);
      expect(results.filter(({ mayHaveCharged }) => mayHaveCharged !== true)).toEqual([]);
      // Nothing is charged before the service has the whole request.
      expect(results.slice(0, request).filter(({ charged }) => charged)).toEqual([]);
      if (how === 'fin') expect(results.some(({ charged }) => charged)).toBe(true);
    });

    it('at every byte of the response', { timeout: 240_000 }, async () => {
      const { results } = await sweep('cut-response', how, transportOf(name));
      // No purchase without a charge, and no call reports a charged order as not charged.
      expect(results.filter(({ sold, charged }) => sold && !charged)).toEqual([]);
      expect(results.filter(({ charged, mayHaveCharged }) => charged && mayHaveCharged === false)).toEqual(
        [],
      );
      // No response is complete here, so no connection is used again: each order reaches the service.
      const cut = results.slice(0, 200);
      expect(cut.filter(({ charged, mayHaveCharged }) => !charged || mayHaveCharged !== true)).toEqual([]);
      // A reset may overtake the response; a FIN comes after it.
      if (how === 'fin') expect(results.some(({ sold }) => sold)).toBe(true);
    });
  });
});

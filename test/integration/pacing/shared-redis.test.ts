/**
 * Four clients on one Redis. The limiters are those of rate-limiter-flexible over a real server, with the documented limits.
 *
 * The nine minutes that 200 purchases take are simulated: the clients' timers and the sandbox's clock are moved from event to event, and the
 * limiter's counting script is given to Redis with one change, that it reads the time from a key that moves along instead of from the
 * server's own clock. The second test leaves the script alone and runs in real time, with windows of 2 s for which the sandbox sees 60.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterEach, describe, expect, it } from 'vitest';
import { BillPay } from '../../../src/client.js';
import type { AttemptRecord } from '../../../src/options.js';
import type { SharedLimiter } from '../../../src/pacing/shared-pacer.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';
import { passTime, virtualTime } from '../../support/virtual-time.js';

const url = process.env['BILLPAY_TEST_REDIS_URL'];
const purchases = { points: 20, duration: 60 };
const requests = { points: 60, duration: 60 };
const clients = 4;

const scriptByOwnClock = (clock: string) => `
local now = tonumber(redis.call('get', '${clock}'))
local ends = tonumber(redis.call('hget', KEYS[1], 'ends') or '0')
if ends <= now then
  ends = now + 1000 * tonumber(ARGV[2])
  redis.call('hset', KEYS[1], 'count', 0, 'ends', ends)
end
return { redis.call('hincrby', KEYS[1], 'count', ARGV[1]), ends - now }`;

/** Counts what is on its way to a limiter and back. */
function counted(limiter: SharedLimiter, count: { underway: number }): SharedLimiter {
  const through = async (work: () => Promise<unknown> | undefined) => {
    count.underway++;
    try {
      return await work();
    } finally {
      count.underway--;
    }
  };
  return {
    consume: (key, points) => through(() => limiter.consume(key, points)),
    reward: (key, points) => through(() => limiter.reward?.(key, points)),
  };
}

function clientOf(sandbox: Sandbox, limiters: { purchases: SharedLimiter; requests: SharedLimiter }) {
  const records: AttemptRecord[] = [];
  const billpay = new BillPay({
    ...sandbox.connection,
    totalTimeout: 3_600_000,
    onAttempt: (record) => records.push(record),
    pacing: limiters,
  });
  return { billpay, records };
}

const order = (id: number) => ({
  biller: 'MTN',
  recipient: '08031234567',
  amount: 100,
  idempotency_key: `o-${id}`,
});
const documented = () =>
  createSandbox({ clock: 'manual', rateLimits: true, settleAfter: 'manual', balance: 1e9 });

const connections: Redis[] = [];
async function connected(): Promise<Redis> {
  const redis = new Redis(url!, { lazyConnect: true });
  connections.push(redis);
  await redis.connect();
  return redis;
}
afterEach(async () => {
  for (const redis of connections.splice(0)) redis.disconnect();
});

const title = url
  ? 'four clients on one Redis'
  : 'four clients on one Redis (skipped: BILLPAY_TEST_REDIS_URL is not set; eval "$(test/services/start.sh $$)" starts one)';

describe.skipIf(!url)(title, () => {
  it('sell 200 within 1% of the least possible time, with no 429 at all', async () => {
    const sandbox = documented();
    const name = `pacing-${crypto.randomUUID()}`;
    const clock = `${name}:now`;
    const watch = await connected();
    const stores = await Promise.all(Array.from({ length: clients }, connected));
    await watch.set(clock, 0);
    const count = { underway: 0 };
    const limiterOf = (storeClient: Redis, keyPrefix: string, limit: typeof purchases) =>
      counted(
        new RateLimiterRedis({
          storeClient,
          keyPrefix: `${name}:${keyPrefix}`,
          customIncrTtlLuaScript: scriptByOwnClock(clock),
          ...limit,
        }),
        count,
      );
    const time = virtualTime();
    try {
      const shops = stores.map((store) => {
        const limiters = {
          purchases: limiterOf(store, 'purchases', purchases),
          requests: limiterOf(store, 'requests', requests),
        };
        return clientOf(sandbox, limiters);
      });
      const selling = Promise.all(
        Array.from({ length: 200 }, (_, i) => shops[i % clients]!.billpay.airtime.purchase(order(i))),
      );
      const pass = async (ms: number) => {
        await sandbox.advance(ms);
        await watch.set(clock, Math.round(time.now() + ms));
      };
      await passTime(time, selling, pass, () => count.underway > 0);

      // 20 at once, and 20 more after each of nine whole minutes.
      const least = 9 * 60_000;
      expect(time.now()).toBeGreaterThanOrEqual(least);
      expect(time.now()).toBeLessThanOrEqual(least * 1.01);
      const attempts = shops.flatMap(({ records }) => records);
      expect(attempts.map(({ status }) => status)).toEqual(Array(200).fill(202));
      expect(shops.map(({ records }) => records.length)).toEqual([50, 50, 50, 50]);
      expect(sandbox.transactions).toHaveLength(200);
      expect(sandbox.audit().problems).toEqual([]);
      console.info(
        `four clients on one Redis: ${(time.now() / least).toFixed(4)} of the least possible time`,
      );
    } finally {
      time.restore();
      await sandbox.close();
    }
  }, 60_000);

  it("are paced by the limiter's own script and clock", async () => {
    const sandbox = documented();
    const seconds = 2;
    const stores = await Promise.all(Array.from({ length: clients }, connected));
    const name = `pacing-${crypto.randomUUID()}`;
    const shops = stores.map((storeClient) => {
      const limiterOf = (keyPrefix: string, points: number) =>
        new RateLimiterRedis({ storeClient, keyPrefix: `${name}:${keyPrefix}`, points, duration: seconds });
      return clientOf(sandbox, {
        purchases: limiterOf('purchases', 20),
        requests: limiterOf('requests', 60),
      });
    });
    let over = false;
    let shownMs = 0;
    const startedAt = performance.now();
    const clockwork = async () => {
      while (!over) {
        const ms = performance.now() - startedAt;
        await sandbox.advance(((ms - shownMs) * 60) / seconds);
        shownMs = ms;
        await delay(5);
      }
    };
    const running = clockwork();
    await Promise.all(
      Array.from({ length: 80 }, (_, i) => shops[i % clients]!.billpay.airtime.purchase(order(i))),
    );
    const took = performance.now() - startedAt;
    over = true;
    await running;
    const statuses = shops.flatMap(({ records }) => records.map(({ status }) => status));
    // On a slow machine, requests of one window may arrive in the next one of the sandbox: 429 is then right, and each order is sold once.
    expect(statuses.filter((status) => status !== 429)).toEqual(Array(80).fill(202));
    expect(sandbox.transactions).toHaveLength(80);
    expect(took).toBeGreaterThanOrEqual(3 * seconds * 1000);
    await sandbox.close();
  });

  it('count purchases and requests apart, even if both limiters have one prefix', async () => {
    const sandbox = documented();
    const storeClient = await connected();
    const keyPrefix = `pacing-${crypto.randomUUID()}`;
    const limiterOf = (points: number) =>
      new RateLimiterRedis({ storeClient, keyPrefix, points, duration: 60 });
    const { billpay, records } = clientOf(sandbox, { purchases: limiterOf(5), requests: limiterOf(60) });
    for (let n = 0; n < 10; n++) await billpay.data.products({ biller: 'MTN' }, { totalTimeout: 3000 });
    for (let n = 0; n < 5; n++) await billpay.airtime.purchase(order(n), { totalTimeout: 3000 });
    expect(records.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(5).fill(202)]);
    const { clientId } = sandbox.connection;
    const counted = async (kind: string) => await storeClient.get(`${keyPrefix}:billpay:${clientId}:${kind}`);
    expect([await counted('purchases'), await counted('requests')]).toEqual(['5', '15']);
    await sandbox.close();
  });
});

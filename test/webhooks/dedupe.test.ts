import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import { type DedupeStore, memoryDedupe, postgresDedupe, redisDedupe } from '../../src/webhooks/index.js';
import { type OpenedStore, storeCases } from './stores.js';

const lease = 600_000;
const keep = 1_200_000;
/** More than any step of a test takes on a slow machine. Time passes only where a test lets it pass. */
const margin = 60_000;

describe.each(storeCases)('the contract of $name', ({ missing, open }) => {
  describe.skipIf(missing)(missing ?? 'a store', () => {
    let opened: OpenedStore;
    let count = 0;
    const newKey = () => `transaction.completed:TXN-${++count}`;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('lets one of many simultaneous claims of a key succeed', async () => {
      const store = opened.make();
      const key = newKey();
      const states = await Promise.all(
        Array.from({ length: 20 }, (_, owner) => store.begin(key, `${owner}`)),
      );
      expect(states.filter((state) => state === 'new')).toHaveLength(1);
      expect(states.filter((state) => state === 'busy')).toHaveLength(19);
    });

    it('works without an owner', async () => {
      const store = opened.make();
      const key = newKey();
      expect(await store.begin(key)).toBe('new');
      expect(await store.begin(key)).toBe('busy');
      expect(await store.renew?.(key)).toBe(true);
      await store.release(key);
      expect(await store.begin(key)).toBe('new');
      await store.done(key);
      expect(await store.begin(key)).toBe('done');
    });

    it('lets one other owner claim a key after its lease, and not before', async () => {
      const store = opened.make({ lease });
      const key = newKey();
      await store.begin(key, 'dead');
      await opened.pass(key, lease - margin);
      expect(await store.begin(key, 'a')).toBe('busy');
      await opened.pass(key, margin);
      const states = await Promise.all(['a', 'b', 'c'].map((owner) => store.begin(key, owner)));
      expect(states.toSorted()).toEqual(['busy', 'busy', 'new']);
      await store.release(key, 'dead');
      expect(await store.renew?.(key, 'dead')).toBe(false);
      expect(await store.begin(key, 'd')).toBe('busy');
    });

    it('keeps a renewed claim beyond its lease', async () => {
      const store = opened.make({ lease });
      const key = newKey();
      await store.begin(key, 'a');
      for (let renewals = 0; renewals < 3; renewals += 1) {
        await opened.pass(key, lease - margin);
        expect(await store.renew?.(key, 'b')).toBe(false);
        expect(await store.renew?.(key, 'a')).toBe(true);
      }
      expect(await store.begin(key, 'b')).toBe('busy');
      await opened.pass(key, lease);
      expect(await store.renew?.(key, 'a')).toBe(false);
      expect(await store.begin(key, 'b')).toBe('new');
    });

    it('forgets a handled event after `keep`, and not before', async () => {
      const store = opened.make({ lease, keep });
      const key = newKey();
      await store.begin(key, 'a');
      await store.done(key, 'a');
      await opened.pass(key, keep - margin);
      expect(await store.begin(key, 'b')).toBe('done');
      await opened.pass(key, margin);
      expect(await store.begin(key, 'b')).toBe('new');
    });

    it('treats any two different keys as different', async () => {
      const store = opened.make();
      const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => !key.includes('\0'));
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(text, { maxLength: 5 }), async (names) => {
          const keys = names.map((name) => `${newKey()}:${name}`);
          for (const key of keys) expect(await store.begin(key, 'a')).toBe('new');
          for (const key of keys) await store.done(key, 'a');
          for (const key of keys) expect(await store.begin(key, 'a')).toBe('done');
        }),
        { numRuns: 30 },
      );
    });

    it('changes its state as a plain model does', async () => {
      const store = opened.make({ lease, keep });
      const step = fc.record({
        call: fc.constantFrom('begin', 'done', 'release', 'renew'),
        owner: fc.constantFrom('a', 'b'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const key = newKey();
          let state: { done: true } | { owner: string } | undefined;
          for (const { call, owner } of steps) {
            const mine = state !== undefined && 'owner' in state && state.owner === owner;
            if (call === 'begin') {
              const expected = state === undefined ? 'new' : 'done' in state ? 'done' : 'busy';
              expect(await store.begin(key, owner)).toBe(expected);
              state ??= { owner };
            } else if (call === 'done') {
              await store.done(key, owner);
              state = { done: true };
            } else if (call === 'release') {
              await store.release(key, owner);
              if (mine) state = undefined;
            } else {
              expect(await store.renew?.(key, owner)).toBe(mine);
            }
          }
        }),
        { numRuns: 40 },
      );
    });
  });
});

describe('memoryDedupe', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const handle = async (store: DedupeStore, key: string) => {
    expect(await store.begin(key)).toBe('new');
    await store.done(key);
  };

  it('remembers for 7 days and leases for 60 s by default', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryDedupe();
    expect(store.lease).toBe(60_000);
    await handle(store, 'handled');
    await store.begin('claimed');
    vi.advanceTimersByTime(59_999);
    expect(await store.begin('claimed')).toBe('busy');
    vi.advanceTimersByTime(1);
    expect(await store.renew?.('claimed')).toBe(false);
    expect(await store.begin('claimed')).toBe('new');
    vi.advanceTimersByTime(7 * 86_400_000 - 60_001);
    expect(await store.begin('handled')).toBe('done');
    vi.advanceTimersByTime(1);
    expect(await store.begin('handled')).toBe('new');
  });

  it.each([61_000, -3_600_000, 8 * 86_400_000])(
    'keeps claims and handled events when the system clock is set by %d ms',
    async (ms) => {
      const store = memoryDedupe();
      await handle(store, 'handled');
      await store.begin('claimed', 'a');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      expect(await store.begin('claimed', 'b')).toBe('busy');
      expect(await store.renew?.('claimed', 'a')).toBe(true);
      expect(await store.begin('handled', 'b')).toBe('done');
    },
  );

  it.each([
    ['lease', 0, 'must be a whole number of at least 1 and at most 2147483647; got 0'],
    ['lease', 8_640_000_000, 'must be a whole number of at least 1 and at most 2147483647'],
    ['keep', '7d', 'must be a whole number of at least 1'],
    ['max', -1, 'must be a whole number of at least 1'],
  ])('says what is wrong with %s: %j', (option, value, message) => {
    const make = () => memoryDedupe({ [option]: value });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`${option}: ${message}`);
  });

  it('forgets the oldest handled events beyond `max`, and never a claim', async () => {
    const store = memoryDedupe({ max: 2 });
    await store.begin('claimed');
    for (const key of ['a', 'b', 'c']) await handle(store, key);
    expect(await store.begin('a')).toBe('new');
    expect(await store.begin('b')).toBe('done');
    expect(await store.begin('c')).toBe('done');
    expect(await store.begin('claimed')).toBe('busy');
  });
});

describe('redisDedupe', () => {
  it('accepts replies as text or bytes, and counts any other as busy', async () => {
    const replies = [Buffer.from('done'), Buffer.from('new'), 'busy', null];
    const store = redisDedupe({ eval: async () => replies.shift() });
    expect(await store.begin('a')).toBe('done');
    expect(await store.begin('a')).toBe('new');
    expect(await store.begin('a')).toBe('busy');
    expect(await store.begin('a')).toBe('busy');
  });

  const asked = async (make: (calls: unknown[][]) => Parameters<typeof redisDedupe>[0]) => {
    const calls: unknown[][] = [];
    const store = redisDedupe(make(calls), { lease: 5, keep: 70 });
    await store.begin('K', 'me');
    await store.renew?.('K', 'me');
    await store.release('K', 'me');
    await store.done('K', 'me');
    return calls;
  };

  it('is the same for both libraries: a key with the prefix, the claim, the time', async () => {
    const node = await asked((calls) => ({
      eval: async (script, { keys, arguments: values }) => void calls.push([script, ...keys, ...values]),
    }));
    const io = await asked((calls) => ({
      call: async (command, script, count, ...values) => {
        expect([command, count]).toEqual(['EVAL', 1]);
        calls.push([script, ...values]);
      },
    }));
    expect(io).toEqual(node);
    expect(node.map(([, ...values]) => values)).toEqual([
      ['billpay:webhook:K', 'busy:me', '5'],
      ['billpay:webhook:K', 'busy:me', '5'],
      ['billpay:webhook:K', 'busy:me', ''],
      ['billpay:webhook:K', '', '70'],
    ]);
  });

  it.each<[string, () => unknown, string]>([
    ['client', () => redisDedupe({} as never), 'must be a client of node-redis'],
    ['client', () => redisDedupe(undefined as never), 'must be a client of node-redis'],
    ['lease', () => redisDedupe({ eval: async () => 1 }, { lease: -1 }), 'must be a whole number'],
    ['prefix', () => redisDedupe({ eval: async () => 1 }, { prefix: 7 as never }), 'must be a string'],
  ])('refuses a wrong %s', (option, make, message) => {
    expect(make).toThrow(`${option}: ${message}`);
  });
});

describe('postgresDedupe', () => {
  const pool = { query: async () => ({ rows: [] }) };

  it.each<[string, () => unknown, string]>([
    ['pool', () => postgresDedupe({} as never), "must have pg's query(text, values)"],
    ['table', () => postgresDedupe(pool, { table: 7 as never }), 'must be a plain name of letters'],
    ['keep', () => postgresDedupe(pool, { keep: 0 }), 'must be a whole number'],
  ])('says what is wrong with %s', (option, make, message) => {
    expect(make).toThrow(`${option}: ${message}`);
  });

  it.each([
    ...['9events', 'shop.events', 'a.b.c', 'a b', '"', 'orders; DROP TABLE orders'],
    ...['a'.repeat(42), 'é', ''],
  ])('refuses the name %s', (name) => {
    const plain = 'must be a plain name of letters, digits and underscores';
    expect(() => postgresDedupe(pool, { table: name })).toThrow(`table: ${plain}`);
    expect(() => postgresDedupe(pool, { schema: name })).toThrow(`schema: ${plain}`);
  });

  it('deletes expired rows about once an hour, and ignores a failure of that', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const deletions: string[] = [];
    const store = postgresDedupe({
      async query(text) {
        if (!text.startsWith('DELETE')) return { rows: [{ state: 'new' }] };
        deletions.push(text);
        throw new Error('no connection');
      },
    });
    await store.begin('a');
    expect(deletions).toHaveLength(0);
    vi.advanceTimersByTime(3_600_000);
    expect(await store.begin('b')).toBe('new');
    expect(await store.begin('c')).toBe('new');
    expect(deletions).toHaveLength(1);
    vi.useRealTimers();
  });

  it('rejects with the error of the database when the table cannot be created', async () => {
    const failing = (code: string) =>
      postgresDedupe({
        query: async (text) => {
          if (text.startsWith('SELECT')) return { rows: [] };
          throw Object.assign(new Error('no'), { code });
        },
      });
    await expect(failing('42501').createTables()).rejects.toThrow('no');
    for (const madeMeanwhile of ['23505', '42P07', '42710']) {
      await expect(failing(madeMeanwhile).createTables()).resolves.toBeUndefined();
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Operation, operations } from '../../src/contract/operations.js';
import { readParams } from '../../src/contract/read-params.js';
import { type Product, products } from '../../src/contract/vocabulary.js';
import { type BillPay, ValidationError } from '../../src/index.js';
import { ended, rejected, useFakeClock } from '../support/clock.js';
import { complete } from '../support/every-call.js';
import { accepted, airtime, clientWith, reset, type Sent } from '../support/script.js';

useFakeClock();

/** A service that debits once a key, and once a request where there is no key. It loses the first responses. */
function wallet(lost: number) {
  const texts: string[] = [];
  const keys = new Set<unknown>();
  let unprotected = 0;
  const fetch = async (url: unknown, { body, ...init }: RequestInit = {}): Promise<Response> => {
    texts.push(typeof body === 'string' ? body : String(url));
    const fields: Record<string, unknown> = typeof body === 'string' ? JSON.parse(body) : {};
    if ('idempotency_key' in fields) keys.add(fields['idempotency_key']);
    else unprotected++;
    const step = texts.length <= lost ? reset : accepted(fields);
    return step({ ...init, url: String(url) } as unknown as Sent);
  };
  return { fetch, texts, debits: () => keys.size + unprotected };
}

/** Ways in which an object can give other fields than it seems to have. */
const forms: Record<string, (fields: Record<string, unknown>, name: string, other: unknown) => object> = {
  'a plain object': (fields) => fields,
  'no prototype': (fields) => Object.assign(Object.create(null), fields),
  'an inherited field': (fields, name) => {
    const { [name]: value, ...own } = fields;
    return Object.assign(Object.create({ [name]: value }), own);
  },
  'a hidden field': (fields, name) => {
    const { [name]: value, ...own } = fields;
    return Object.defineProperty(own, name, { value, enumerable: false });
  },
  'an accessor of a class': (fields, name) => {
    const { [name]: value, ...own } = fields;
    class Order {
      get [name]() {
        return value;
      }
    }
    return Object.assign(new Order(), own);
  },
  'an accessor that changes': (fields, name, other) => {
    let reads = 0;
    const get = () => (reads++ % 2 === 0 ? fields[name] : other);
    return Object.defineProperty({ ...fields }, name, { enumerable: true, get });
  },
  'an accessor that counts': (fields, name) => {
    let reads = 0;
    const get = () => `${fields[name]}-${reads++}`;
    return Object.defineProperty({ ...fields }, name, { enumerable: true, get });
  },
  'an accessor that throws': (fields, name) =>
    Object.defineProperty({ ...fields }, name, {
      enumerable: true,
      get() {
        throw new Error('not now');
      },
    }),
  'toJSON that drops a field': (fields, name) => {
    const { [name]: _, ...rest } = fields;
    return { ...fields, toJSON: () => rest };
  },
  'toJSON that changes a field': (fields, name, other) => ({
    ...fields,
    toJSON: () => ({ ...fields, [name]: other }),
  }),
  'an inherited toJSON': (fields, name, other) =>
    Object.assign(Object.create({ toJSON: () => ({ ...fields, [name]: other }) }), fields),
  'toJSON that gives something else': (fields, _, other) => ({ ...fields, toJSON: () => other }),
  'a proxy that changes': (fields, name, other) => {
    let reads = 0;
    return new Proxy(fields, {
      get: (target, property, receiver) =>
        property === name && reads++ > 0 ? other : Reflect.get(target, property, receiver),
    });
  },
  'a proxy that hides a field': (fields, name) =>
    new Proxy(fields, { ownKeys: (target) => Reflect.ownKeys(target).filter((key) => key !== name) }),
};

const junk = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
});
const form = fc.constantFrom(...Object.keys(forms));
const made = (name: string, ...args: Parameters<(typeof forms)[string]>): object =>
  (forms[name] ?? forms['a plain object'])?.(...args) ?? {};

/** Whether a caller who looks at the object finds a key in it. */
const shows = (given: object, name: string): boolean => {
  try {
    return name in given;
  } catch {
    return true;
  }
};

/** What must hold of every call, however it ends. */
async function holds(
  call: (billpay: BillPay) => PromiseLike<unknown>,
  { given, maxRetries, lost }: { given: object; maxRetries: number; lost: number },
): Promise<'sent' | 'refused'> {
  const service = wallet(lost);
  const ending = await ended(Promise.resolve(call(clientWith(service.fetch, { maxRetries }))));
  expect(service.debits()).toBeLessThanOrEqual(1);
  expect(new Set(service.texts).size).toBeLessThanOrEqual(1);
  const [text] = service.texts;
  if (text === undefined) {
    expect('error' in ending && ending.error).toBeInstanceOf(ValidationError);
    return 'refused';
  }
  const sent: Record<string, unknown> = JSON.parse(text);
  expect(sent['client_id']).toBe('client-1');
  if (shows(given, 'idempotency_key')) expect(sent['idempotency_key']).toMatch(/\S/);
  if ('error' in ending) {
    expect(ending.error).toMatchObject({ mayHaveCharged: true });
    expect(Reflect.get(Object(ending.error), 'idempotencyKey')).toBe(sent['idempotency_key']);
  }
  return 'sent';
}

describe('whatever object a call is given', () => {
  const outcome = fc.record({ maxRetries: fc.nat(3), lost: fc.nat(4), asItem: fc.boolean() });

  it('request() sends what it checked, repeats the same bytes, and buys at most once', async () => {
    const seen = { sent: 0, refused: 0 };
    const graph = fc.record({
      form,
      name: fc.constantFrom('idempotency_key', 'amount', 'more'),
      other: junk,
      more: fc.dictionary(fc.string(), junk),
      key: fc.oneof(fc.constant({ idempotency_key: 'order-7' }), fc.constant({})),
    });
    await fc.assert(
      fc.asyncProperty(graph, outcome, async ({ form, name, other, more, key }, how) => {
        const given = made(form, { ...airtime, more, ...key }, name, other);
        const body = given as Record<string, unknown>;
        seen[
          await holds((b) => b.request({ method: 'POST', path: '/later/purchase', body }), { given, ...how })
        ]++;
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(30);
  });

  const saleOf = (product: Product) => complete[`${product}.purchase`];

  /** The same fields as an item. Its key is read where the item is made, and an item needs one. */
  const itemOf = (product: Product, given: object): never => {
    const item = { product, params: given, idempotency_key: 'order-77' };
    return item as never;
  };

  it('a purchase sends what it checked, repeats the same bytes, and buys at most once', async () => {
    const seen = { sent: 0, refused: 0 };
    const graph = fc.constantFrom(...products).chain((product) =>
      fc.record({
        product: fc.constant(product),
        form,
        name: fc.constantFrom(...Object.keys(saleOf(product))),
        other: fc.oneof(junk, fc.constantFrom('order-8', 0, -5, 8031234567)),
        without: fc.constantFrom('', 'idempotency_key'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(graph, outcome, async ({ product, form, name, other, without }, how) => {
        const fields = Object.fromEntries(
          Object.entries(saleOf(product)).filter(([field]) => field !== without),
        );
        const given = made(form, fields, name, other);
        const buy = (billpay: BillPay): PromiseLike<unknown> =>
          how.asItem
            ? billpay.purchase(itemOf(product, given))
            : Reflect.apply(billpay[product].purchase, undefined, [given]);
        seen[await holds(buy, { given, ...how })]++;
        const service = wallet(how.lost);
        await ended(Promise.resolve(buy(clientWith(service.fetch))));
        const { paramsSchema } = operations[`${product}.purchase`] as Operation;
        for (const text of service.texts) {
          const { client_id: _, ...sent } = JSON.parse(text);
          expect(readParams(paramsSchema(), sent)).toMatchObject({ ok: true });
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.sent, seen.refused)).toBeGreaterThan(30);
  });
});

describe('accessors that throw', () => {
  const throwing = (name: string, fields: object): never =>
    Object.defineProperty({ ...fields }, name, {
      enumerable: true,
      get() {
        throw new Error('not now');
      },
    }) as never;
  const post = { method: 'POST', path: '/x', body: {} };
  const item = { product: 'airtime', params: airtime, idempotency_key: 'order-7' };
  type Call = (billpay: BillPay) => PromiseLike<unknown>;

  it('in a call give a ValidationError', async () => {
    const parts = ['method', 'path', 'query', 'body'].map(
      (name): Call =>
        (b) =>
          b.request(throwing(name, post)),
    );
    const fields = Object.keys(item).map(
      (name): Call =>
        (b) =>
          b.purchase(throwing(name, item)),
    );
    const nested: Call[] = [
      (b) => b.request({ ...post, body: throwing('idempotency_key', {}) } as never),
      (b) => b.airtime.purchase(throwing('idempotency_key', airtime)),
      (b) => b.purchase({ ...item, params: throwing('biller', airtime) } as never),
    ];
    for (const call of [...parts, ...fields, ...nested]) {
      const { fetch, texts } = wallet(0);
      const error = await rejected(Promise.resolve(call(clientWith(fetch))));
      expect(error).toMatchObject({ name: 'ValidationError', attempts: 0, mayHaveCharged: false });
      expect(texts).toEqual([]);
    }
  });
});

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BillPay, BillPayError } from '../../src/index.js';
import { ended, useFakeClock } from '../support/clock.js';
import { callBy, complete, operationNames, successOf } from '../support/every-call.js';
import {
  accepted,
  airtime,
  catalogue,
  clientWith,
  cut,
  endless,
  json,
  page,
  refusal,
  refused,
  reset,
  type Step,
  script,
  silent,
  subscribed,
} from '../support/script.js';

/** design.md's table once more, in its own words, so that the code is not held against itself. */
interface Ends {
  readonly step: Step;
  /** Kinds that are sent again. */
  readonly again: readonly Kind[];
  /** Whether a debit cannot be ruled out. */
  readonly doubt: boolean;
}

type Kind = 'purchase' | 'read' | 'subscribe' | 'unknown';

const all: readonly Kind[] = ['purchase', 'read', 'subscribe', 'unknown'];
const withoutUnknown: readonly Kind[] = ['purchase', 'read', 'subscribe'];
const harmless: readonly Kind[] = ['purchase', 'read'];

const endings: Readonly<Record<string, Ends>> = {
  '409 in flight': { step: refusal(409, 'ALREADY_PROCESSING'), again: ['purchase'], doubt: true },
  '409 other': { step: refusal(409, 'CONFLICT'), again: [], doubt: true },
  '429': { step: refusal(429, 'RATE_LIMITED'), again: all, doubt: false },
  '500': { step: refusal(500, 'GATEWAY_ERROR'), again: withoutUnknown, doubt: true },
  '502': { step: page(502), again: withoutUnknown, doubt: true },
  '503 provider': { step: refusal(503, 'PROVIDER_UNAVAILABLE'), again: withoutUnknown, doubt: false },
  '503 queue': { step: refusal(503, 'QUEUE_UNAVAILABLE'), again: withoutUnknown, doubt: false },
  '503 bare': { step: page(503), again: withoutUnknown, doubt: true },
  '504': { step: page(504), again: withoutUnknown, doubt: true },
  refused: { step: refused, again: harmless, doubt: true },
  reset: { step: reset, again: harmless, doubt: true },
  silence: { step: silent, again: harmless, doubt: true },
  'an endless body': { step: endless(200), again: harmless, doubt: true },
  'a cut success': { step: cut(202), again: harmless, doubt: true },
  'an unreadable success': { step: page(200), again: harmless, doubt: true },
  '302': { step: page(302), again: [], doubt: true },
  '400': { step: refusal(400, 'BAD_REQUEST'), again: [], doubt: false },
  '402': { step: refusal(402, 'INSUFFICIENT_BALANCE'), again: [], doubt: false },
  '408': { step: page(408), again: [], doubt: true },
  '422': { step: refusal(422, 'VALIDATION_FAILED'), again: [], doubt: false },
};

/** The same for every kind: what it sends, and what it then may take for a success. */
const kinds: Readonly<
  Record<Kind, { make: (b: BillPay, o: object) => PromiseLike<unknown>; success: Step }>
> = {
  purchase: { make: (b, o) => b.airtime.purchase(airtime, o), success: accepted() },
  read: { make: (b, o) => b.data.products({ biller: 'MTN' }, o), success: catalogue },
  subscribe: {
    make: (b, o) => b.webhooks.subscribe({ url: 'https://shop.test/hook' }, o),
    success: subscribed,
  },
  unknown: { make: (b, o) => b.request({ method: 'POST', path: '/x', body: {} }, o), success: json(200, {}) },
};

const kind = fc.constantFrom(...all);
const sequence = fc.array(fc.constantFrom(...Object.keys(endings)), { maxLength: 7 });
const ends = (name: string): Ends => endings[name] ?? { step: refused, again: [], doubt: false };
const spends = (of: Kind) => of === 'purchase' || of === 'unknown';

describe('for any sequence of attempts', () => {
  useFakeClock();

  it('the number of requests, the end and mayHaveCharged are the table’s', async () => {
    await fc.assert(
      fc.asyncProperty(kind, sequence, fc.integer({ min: 0, max: 6 }), async (of, names, maxRetries) => {
        let attempts = 0;
        let doubt = false;
        let succeeds = true;
        for (const name of names) {
          attempts++;
          doubt ||= ends(name).doubt && spends(of);
          if (attempts > maxRetries || !ends(name).again.includes(of)) {
            succeeds = false;
            break;
          }
        }
        if (succeeds) attempts++;

        const { make, success } = kinds[of];
        const run = script(...names.map((name) => ends(name).step), success);
        const billpay = clientWith(run.fetch, { maxRetries, totalTimeout: 2 ** 31 - 1 });
        const ending = await ended(Promise.resolve(make(billpay, {})));

        expect(run.sent).toHaveLength(attempts);
        expect('value' in ending).toBe(succeeds);
        if ('error' in ending) {
          expect(ending.error).toBeInstanceOf(BillPayError);
          expect(ending.error).toMatchObject({ attempts, mayHaveCharged: doubt });
        }
        for (const { bytes } of run.sent) expect(bytes).toEqual(run.sent[0]?.bytes);
        for (const [n, wait] of run.waits().entries()) {
          const d = Math.min(8000, 500 * 2 ** n);
          const taken = ['silence', 'an endless body'].includes(names[n] ?? '') ? 30_000 : 0;
          expect(wait).toBeGreaterThanOrEqual(taken + d / 2);
          expect(wait).toBeLessThanOrEqual(taken + d);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a deadline is kept to the millisecond, and nothing is sent after it', async () => {
    const deadline = fc.integer({ min: 1, max: 90_000 });
    await fc.assert(
      fc.asyncProperty(kind, sequence, deadline, async (of, names, ms) => {
        const { make, success } = kinds[of];
        const run = script(...names.map((name) => ends(name).step), success);
        const startedAt = performance.now();
        await ended(Promise.resolve(make(clientWith(run.fetch, { maxRetries: 9 }), { totalTimeout: ms })));
        expect(performance.now() - startedAt).toBeLessThanOrEqual(ms);
        for (const { at } of run.sent) expect(at - startedAt).toBeLessThan(ms);
      }),
      { numRuns: 150 },
    );
  });

  it('an abort at any moment sends nothing more, and knows whether money may have moved', async () => {
    await fc.assert(
      fc.asyncProperty(kind, sequence, fc.integer({ min: 0, max: 9000 }), async (of, names, tens) => {
        // Never the very millisecond in which something else happens: those are multiples of ten.
        const abortAt = tens * 10 + 7;
        const { make, success } = kinds[of];
        const run = script(...names.map((name) => ends(name).step), success);
        const controller = new AbortController();
        setTimeout(() => controller.abort(), abortAt);
        const startedAt = performance.now();
        const options = { signal: controller.signal, totalTimeout: 2 ** 31 - 1, maxRetries: 9 };
        const ending = await ended(Promise.resolve(make(clientWith(run.fetch), options)));

        const took = performance.now() - startedAt;
        expect(took).toBeLessThanOrEqual(abortAt);
        for (const { at } of run.sent) expect(at - startedAt).toBeLessThan(abortAt);
        if ('error' in ending && took === abortAt) {
          const doubt = names.slice(0, run.sent.length).some((name) => ends(name).doubt) && spends(of);
          expect(ending.error).toMatchObject({
            name: 'AbortError',
            attempts: run.sent.length,
            mayHaveCharged: doubt,
          });
        }
      }),
      { numRuns: 150 },
    );
  });
});

interface Call {
  readonly make: (billpay: BillPay) => { withResponse(): PromiseLike<unknown> };
  /** The body of its documented success. */
  readonly documented: object;
}

/** Every call there is. */
const calls: readonly [string, Call][] = [
  ...operationNames.map((name): [string, Call] => [
    name,
    { make: (b) => callBy(b, name, complete[name]), documented: successOf(name).body },
  ]),
  ['request GET', { make: (b) => b.request({ method: 'GET', path: '/x' }), documented: {} }],
  [
    'request POST',
    {
      make: (b) => b.request({ method: 'POST', path: '/x', body: { idempotency_key: 'k' } }),
      documented: {},
    },
  ],
];

const noBody = [204, 205, 304];

/** Any bytes with any status under any headers. */
const anyAnswer = fc.record({
  status: fc.oneof(
    fc.integer({ min: 200, max: 599 }),
    fc.constantFrom(200, 202, 204, 302, 401, 404, 405, 409, 422, 429, 500, 503),
  ),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)),
    fc.string(),
    fc.json(),
    fc
      .record({
        status: fc.jsonValue(),
        code: fc.jsonValue(),
        message: fc.jsonValue(),
        errors: fc.jsonValue(),
      })
      .map((envelope) => JSON.stringify(envelope)),
  ),
  headers: fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'retry-after',
        'content-length',
        'content-encoding',
        'content-type',
        'allow',
        'location',
      ),
      fc.stringMatching(/^[a-z-]{1,12}$/),
    ),
    fc.oneof(
      fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
      fc.constantFrom('0', '-1', '1e9', '99999999999999999999', 'GET', 'gzip', 'application/json'),
    ),
    { maxKeys: 4 },
  ),
});

/** A success in which one place holds something else. */
function changed(value: unknown, at: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const entries = Object.entries(value);
  const [name, inner] = entries[at % entries.length] ?? ['', undefined];
  const put = at % 3 === 0 ? other : changed(inner, Math.floor(at / entries.length), other);
  return Array.isArray(value) ? Object.assign([...value], { [name]: put }) : { ...value, [name]: put };
}

/** Whatever came: a result with its answer, or one of our errors, printable. */
async function endsWell(call: { withResponse(): PromiseLike<unknown> }): Promise<void> {
  try {
    const result = await call.withResponse();
    expect(Reflect.get(Object(result), 'response')).toBeInstanceOf(Response);
  } catch (error) {
    expect(error).toBeInstanceOf(BillPayError);
    expect(inspect(error)).toContain('Error');
    expect(JSON.stringify(error)).toContain('"attempts":1');
  }
}

describe.each(calls)('%s ends in a result or in one of our errors', (_, { make, documented }) => {
  it('for any response', async () => {
    await fc.assert(
      fc.asyncProperty(anyAnswer, fc.boolean(), async ({ status, body, headers }, strictResponses) => {
        const response = () => new Response(noBody.includes(status) ? null : body, { status, headers });
        const billpay = clientWith(async () => response(), { maxRetries: 0, strictResponses });
        await endsWell(make(billpay));
      }),
    );
  });

  it('for any change of a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5000), fc.jsonValue(), fc.boolean(), async (at, other, strictResponses) => {
        const body = JSON.stringify(changed(documented, at, other));
        const billpay = clientWith(async () => new Response(body, { status: 200 }), {
          maxRetries: 0,
          strictResponses,
        });
        await endsWell(make(billpay));
      }),
    );
  });
});

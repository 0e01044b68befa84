import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type BillPay, BillPayError } from '../../src/index.js';
import { ended, useFakeClock } from '../support/clock.js';
import { callBy, complete, operationNames, successOf } from '../support/every-call.js';
import { clientWith, script } from '../support/script.js';
import { calls, isDoubtful, isRepeated, type Row, rows } from './attempts.js';

const kind = fc.constantFrom(...calls);
const stepsOf = (endings: readonly Row[]) => endings.map(([, step]) => step);
/** Mostly endings that a purchase is repeated after, or most sequences would end at once. */
const ending = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...rows.filter((row) => isRepeated(row, 'purchase'))) },
  { weight: 1, arbitrary: fc.constantFrom(...rows) },
);
const sequence = fc.array(ending, { maxLength: 7 });

describe('for any sequence of attempts', () => {
  useFakeClock();

  it('the number of requests, the end and mayHaveCharged are the table’s', async () => {
    await fc.assert(
      fc.asyncProperty(kind, sequence, fc.integer({ min: 0, max: 6 }), async (of, endings, maxRetries) => {
        const { kind, make, success } = of;
        let attempts = 0;
        let doubt = false;
        let succeeds = true;
        for (const row of endings) {
          attempts++;
          doubt ||= isDoubtful(row, kind);
          if (attempts > maxRetries || !isRepeated(row, kind)) {
            succeeds = false;
            break;
          }
        }
        if (succeeds) attempts++;

        const run = script(...stepsOf(endings), success);
        const billpay = clientWith(run.fetch, { maxRetries, totalTimeout: 2 ** 31 - 1 });
        const ending = await ended(make(billpay));

        expect(run.sent).toHaveLength(attempts);
        expect(vi.getTimerCount()).toBe(0);
        expect('value' in ending).toBe(succeeds);
        if ('error' in ending) {
          expect(ending.error).toBeInstanceOf(BillPayError);
          expect(ending.error).toMatchObject({ attempts, mayHaveCharged: doubt });
          if (kind === 'purchase')
            expect(String(ending.error)).toContain(
              doubt
                ? 'The wallet may have been debited: the purchase is unknown, not failed.'
                : 'This call charged nothing.',
            );
        }
        for (const { bytes } of run.sent) expect(bytes).toEqual(run.sent[0]?.bytes);
        for (const [n, wait] of run.waits().entries()) {
          const d = Math.min(8000, 500 * 2 ** n);
          const taken = /never ends|no response/.test(endings[n]?.[0] ?? '') ? 30_000 : 0;
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
      fc.asyncProperty(kind, sequence, deadline, async ({ make, success }, endings, ms) => {
        const run = script(...stepsOf(endings), success);
        const startedAt = performance.now();
        await ended(make(clientWith(run.fetch, { maxRetries: 9 }), { totalTimeout: ms }));
        expect(performance.now() - startedAt).toBeLessThanOrEqual(ms);
        for (const { at } of run.sent) expect(at - startedAt).toBeLessThan(ms);
      }),
      { numRuns: 150 },
    );
  });

  it('an abort at any moment sends nothing more, and knows whether money may have moved', async () => {
    await fc.assert(
      fc.asyncProperty(kind, sequence, fc.integer({ min: 0, max: 9000 }), async (of, endings, tens) => {
        // Never the very millisecond in which something else happens: those are multiples of ten.
        const abortAt = tens * 10 + 7;
        vi.clearAllTimers();
        const { kind, make, success } = of;
        const run = script(...stepsOf(endings), success);
        const controller = new AbortController();
        setTimeout(() => controller.abort(), abortAt);
        const startedAt = performance.now();
        const { signal } = controller;
        const ending = await ended(
          make(clientWith(run.fetch), { signal, totalTimeout: 2 ** 31 - 1, maxRetries: 9 }),
        );

        const took = performance.now() - startedAt;
        expect(took).toBeLessThanOrEqual(abortAt);
        for (const { at } of run.sent) expect(at - startedAt).toBeLessThan(abortAt);
        if ('error' in ending && took === abortAt) {
          const doubt = endings.slice(0, run.sent.length).some((row) => isDoubtful(row, kind));
          expect(ending.error).toMatchObject({
            name: 'AbortError',
            attempts: run.sent.length,
            mayHaveCharged: doubt,
          });
          expect(getEventListeners(signal, 'abort')).toHaveLength(0);
          expect(vi.getTimerCount()).toBe(0);
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
const everyCall: readonly [string, Call][] = [
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

describe.each(everyCall)('%s ends in a result or in one of our errors', (_, { make, documented }) => {
  it('for any change of a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5000), fc.jsonValue(), async (at, other) => {
        const body = JSON.stringify(changed(documented, at, other));
        const billpay = clientWith(async () => new Response(body, { status: 200 }), {
          maxRetries: 0,
        });
        await endsWell(make(billpay));
      }),
    );
  });
});

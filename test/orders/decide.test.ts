import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  ConnectionError,
  IdempotencyKeyReusedError,
  ProviderUnavailableError,
  RateLimitError,
  ServerError,
  UnresolvableFieldError,
} from '../../src/index.js';
import {
  actionFor,
  afterFailedAttempt,
  backoffMs,
  describeError,
  nextLookMs,
} from '../../src/orders/decide.js';
import { orderStates } from '../../src/orders/states.js';
import { purchaseOf } from './support/shop.js';

const minute = 60_000;

const doubtful = () => new ServerError('500', { status: 500, mayHaveCharged: true });
const refusal = () => new UnresolvableFieldError('422', { status: 422, code: 'GATEWAY_ERROR' });
const account = () => new AuthenticationError('401', { status: 401, code: 'UNAUTHORIZED' });
const firewall = () => new AuthenticationError('401', { status: 401, mayHaveCharged: false });
const unavailable = () => new ProviderUnavailableError('503', { status: 503, code: 'PROVIDER_UNAVAILABLE' });
const reused = () =>
  new IdempotencyKeyReusedError('reused', { mayHaveCharged: true, purchase: purchaseOf('TXN-1') });

const fresh = { tries: 0, doubted: false, doubtedForMs: 0, expiresInMs: undefined };
const inDoubt = { tries: 0, doubted: true, doubtedForMs: 1000, expiresInMs: undefined };
const policy = { maxAttempts: 100, reviewAfter: 60 * minute };

it('knows what a worker does with an order in each state', () => {
  expect(Object.fromEntries(orderStates.map((state) => [state, actionFor({ state })]))).toEqual({
    placed: 'buy',
    buying: 'buy',
    accepted: 'lookUp',
    delivered: 'none',
    failed: 'none',
    unknown: 'buy',
    refused: 'none',
    held: 'buy',
    review: 'none',
  });
});

describe('the backoff', () => {
  it.each([
    [1, 5000, 0, 2500],
    [1, 5000, 0.5, 3750],
    [1, 5000, 0.999999, 5000],
    [2, 5000, 0, 5000],
    [4, 5000, 0.5, 30_000],
    // At most a quarter of an hour, however many tries.
    [9, 5000, 0, 7.5 * minute],
    [9, 5000, 0.999999, 15 * minute],
    [5000, 5000, 0, 7.5 * minute],
    // 21 tries are the most that double it.
    [21, 0.0001, 0, 52],
    [22, 0.0001, 0, 52],
  ])('of try %d from %d ms with %d is %d ms', (n, firstMs, random, expected) => {
    expect(backoffMs(n, firstMs, random)).toBe(expected);
  });

  it.each([
    [minute / 2, [1, 2, 4, 8, 16, 32, 60, 60]],
    [60 * minute, [60, 60, 60, 60, 60, 60, 60, 60]],
    [90 * minute, [90, 90, 90, 90, 90, 90, 90, 90]],
  ])(
    'between two looks doubles from lookUpAfter (%d ms) up to an hour: %j minutes',
    (lookUpAfter, minutes) => {
      const look = (looks: number) => nextLookMs(looks, { lookUpAfter }, 0, 0) / minute;
      expect(minutes.map((_, looks) => look(looks))).toEqual(minutes);
    },
  );

  it('between two looks is never shorter than the one before, and leaves room for purchases', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7_200_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (looks, lookUpAfter, accepted, random, later) => {
          const wait = nextLookMs(looks, { lookUpAfter }, accepted, random);
          // Rounded to a ms.
          expect(wait + 1).toBeGreaterThanOrEqual(lookUpAfter);
          expect(wait + 1).toBeGreaterThanOrEqual(accepted * 2000);
          if (looks < 20 && 2 * lookUpAfter * 2 ** (looks + 1) <= 60 * minute) {
            const next = nextLookMs(looks + 1, { lookUpAfter }, accepted, later);
            if (accepted === 0) expect(next + 1).toBeGreaterThanOrEqual(wait);
          }
        },
      ),
    );
  });
});

describe('what follows from a failed attempt', () => {
  const of = (error: unknown, order = fresh, given: Parameters<typeof afterFailedAttempt>[2] = policy) =>
    afterFailedAttempt(error, order, given, 0);

  it.each([
    ['doubt', doubtful(), fresh, { event: 'doubt', dueInMs: 30_000, doubted: true }],
    ['doubt again', doubtful(), inDoubt, { event: 'doubt', dueInMs: 30_000, doubted: true }],
    ['a late try', doubtful(), { ...fresh, tries: 5 }, { event: 'doubt', dueInMs: 80_000, doubted: true }],
    ['unavailable', unavailable(), fresh, { event: 'defer', dueInMs: minute, doubted: false }],
    ['unavailable, in doubt', unavailable(), inDoubt, { event: 'doubt', dueInMs: minute, doubted: true }],
    ['an account at fault', account(), fresh, { event: 'hold', dueInMs: 0, doubted: false }],
    ['an account at fault, in doubt', account(), inDoubt, { event: 'hold', dueInMs: 0, doubted: true }],
    ['a refusal', refusal(), fresh, { event: 'refuse', dueInMs: undefined, doubted: false }],
    ['a refusal, in doubt', refusal(), inDoubt, { event: 'doubt', dueInMs: minute, doubted: true }],
    ['a reused key', reused(), fresh, { event: 'review', dueInMs: undefined, doubted: true }],
  ] as const)('%s', (_, error, order, expected) => {
    expect(of(error, order)).toEqual(expected);
  });

  it('waits at least as long as the service asks, and at least the backoff', () => {
    const unreachable = new ConnectionError('x', { mayHaveCharged: false });
    expect(of(unreachable)).toMatchObject({ event: 'defer', dueInMs: 5000 });
    expect(of(unreachable, { ...fresh, tries: 3 })).toMatchObject({ event: 'defer', dueInMs: 20_000 });
    const limited = new RateLimitError('429', { status: 429, retryAfterSeconds: 90 });
    expect(of(limited)).toMatchObject({ event: 'defer', dueInMs: 90_000 });
  });

  it('waits between half of what `retryDelay` says and all of it: for doubt, for a deferral, for a page of a firewall', () => {
    const given = { ...policy, retryDelay: (n: number) => n * 10 };
    const order = { ...fresh, tries: 2 };
    for (const error of [doubtful(), unavailable(), firewall()]) {
      expect(afterFailedAttempt(error, order, given, 0).dueInMs).toBe(15);
      expect(afterFailedAttempt(error, order, given, 0.999).dueInMs).toBe(30);
    }
  });

  it('is a review for what was in doubt for longer than `reviewAfter`, not for as long', () => {
    const outcome = (doubtedForMs: number) => of(doubtful(), { ...inDoubt, doubtedForMs });
    expect(outcome(60 * minute)).toMatchObject({ event: 'doubt' });
    expect(outcome(60 * minute + 1)).toEqual({ event: 'review', dueInMs: undefined, doubted: true });
  });

  it('is a review for the last of `maxAttempts`, not before', () => {
    const given = { ...policy, maxAttempts: 3 };
    const outcome = (error: unknown, tries: number) => of(error, { ...fresh, tries }, given);
    expect(outcome(doubtful(), 1)).toMatchObject({ event: 'doubt' });
    expect(outcome(doubtful(), 2)).toEqual({ event: 'review', dueInMs: undefined, doubted: true });
    expect(outcome(unavailable(), 1)).toMatchObject({ event: 'defer' });
    expect(outcome(unavailable(), 2)).toEqual({ event: 'review', dueInMs: undefined, doubted: false });
    // An account at fault uses up no attempts.
    expect(outcome(account(), 50)).toMatchObject({ event: 'hold' });
    expect(outcome(refusal(), 50)).toMatchObject({ event: 'refuse' });
  });
});

describe('what is stored of an error', () => {
  it('is its name, its message, and its code and status where it has them', () => {
    expect(describeError(refusal())).toEqual({
      name: 'UnresolvableFieldError',
      message: '422',
      code: 'GATEWAY_ERROR',
      status: 422,
    });
    expect(describeError(new ServerError('x', { status: 500 }))).toEqual({
      name: 'ServerError',
      message: 'x',
      status: 500,
    });
    expect(Object.keys(describeError(new ServerError('x', { status: 500 })))).not.toContain('code');
    expect(Object.keys(describeError(new ConnectionError('x', {})))).not.toContain('status');
  });

  it('is the name and the safe message of any other error', () => {
    const error = new TypeError('connect to https://shop:hunter22@host with sk_live_0123456789abcdef');
    const described = describeError(error);
    expect(described.name).toBe('TypeError');
    expect(described.message).toContain('connect to');
    expect(described.message).not.toContain('sk_live_0123456789abcdef');
  });

  it('says what it can of what is no error', () => {
    expect(describeError('sk_live_0123456789abcdef is wrong')).toMatchObject({
      name: 'string',
      message: expect.stringContaining('is wrong'),
    });
    expect(describeError(undefined)).toEqual({
      name: 'undefined',
      message: 'Nothing was thrown with the rejection.',
    });
  });
});

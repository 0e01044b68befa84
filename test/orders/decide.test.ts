import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  BillerNotConfiguredError,
  ConnectionError,
  IdempotencyKeyReusedError,
  NotFoundError,
  ProviderUnavailableError,
  RateLimitError,
  ServerError,
} from '../../src/index.js';
import {
  accountVerdict,
  afterFailedAttempt,
  backoffMs,
  checkWaitMs,
  describeError,
} from '../../src/orders/decide.js';
import { laneOf, orderStates } from '../../src/orders/states.js';
import { purchaseOf } from './support/shop.js';

const minute = 60_000;

const doubtful = () => new ServerError('500', { status: 500, mayHaveCharged: true });
const refusal = () => new BillerNotConfiguredError('422', { status: 422, code: 'GATEWAY_ERROR' });
const account = () => new AuthenticationError('401', { status: 401, code: 'UNAUTHORIZED' });
const firewall = () => new AuthenticationError('401', { status: 401, mayHaveCharged: false });
const unavailable = () => new ProviderUnavailableError('503', { status: 503, code: 'PROVIDER_UNAVAILABLE' });
const reused = () =>
  new IdempotencyKeyReusedError('reused', { mayHaveCharged: true, purchase: purchaseOf('TXN-1') });

const fresh = { tries: 0, mayHaveCharged: false, unknownForMs: 0, expiresInMs: undefined };
const inDoubt = { tries: 0, mayHaveCharged: true, unknownForMs: 1000, expiresInMs: undefined };
const policy = { maxAttempts: 100, reviewAfter: 60 * minute, retryDelay: undefined };

it('knows the lane of an order in each state', () => {
  expect(Object.fromEntries(orderStates.map((state) => [state, laneOf(state)]))).toEqual({
    placed: 'purchase',
    buying: 'purchase',
    accepted: 'check',
    delivered: undefined,
    failed: undefined,
    unknown: 'purchase',
    refused: undefined,
    held: 'purchase',
    review: undefined,
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
    [minute / 2, [0.5, 1, 2, 4, 8, 16, 32, 60, 60]],
    [60 * minute, [60, 60, 60, 60, 60, 60, 60, 60]],
    [90 * minute, [90, 90, 90, 90, 90, 90, 90, 90]],
  ])(
    'between two status checks doubles from checkAfter (%d ms) up to an hour: %j minutes',
    (checkAfter, minutes) => {
      const wait = (checks: number) => checkWaitMs(checks, { checkAfter }, 0, 0) / minute;
      expect(minutes.map((_, checks) => wait(checks))).toEqual(minutes);
    },
  );

  it('between two status checks is never shorter than the one before, and leaves room for purchases', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7_200_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (checks, checkAfter, accepted, random, later) => {
          const wait = checkWaitMs(checks, { checkAfter }, accepted, random);
          // Rounded to a ms.
          expect(wait + 1).toBeGreaterThanOrEqual(checkAfter);
          if (checks > 0) expect(wait + 1).toBeGreaterThanOrEqual(accepted * 3000);
          if (checks < 20 && 2 * checkAfter * 2 ** checks <= 60 * minute) {
            const next = checkWaitMs(checks + 1, { checkAfter }, accepted, later);
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
    ['doubt', doubtful(), fresh, { event: 'unknown', dueInMs: 30_000, mayHaveCharged: true }],
    ['doubt again', doubtful(), inDoubt, { event: 'unknown', dueInMs: 30_000, mayHaveCharged: true }],
    [
      'a late try',
      doubtful(),
      { ...fresh, tries: 5 },
      { event: 'unknown', dueInMs: 80_000, mayHaveCharged: true },
    ],
    ['unavailable', unavailable(), fresh, { event: 'defer', dueInMs: minute, mayHaveCharged: false }],
    [
      'unavailable, unknown',
      unavailable(),
      inDoubt,
      { event: 'unknown', dueInMs: minute, mayHaveCharged: true },
    ],
    ['an account at fault', account(), fresh, { event: 'hold', dueInMs: 0, mayHaveCharged: false }],
    ['an account at fault, unknown', account(), inDoubt, { event: 'hold', dueInMs: 0, mayHaveCharged: true }],
    ['a refusal', refusal(), fresh, { event: 'refuse', dueInMs: undefined, mayHaveCharged: false }],
    ['a refusal, unknown', refusal(), inDoubt, { event: 'unknown', dueInMs: minute, mayHaveCharged: true }],
    ['a reused key', reused(), fresh, { event: 'review', dueInMs: undefined, mayHaveCharged: true }],
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

  it('waits at most ten minutes for a Retry-After, and no longer than `reviewAfter` or `expireAfter` leaves', () => {
    const limited = (retryAfterSeconds: number) =>
      new RateLimitError('429', { status: 429, retryAfterSeconds });
    for (const seconds of [601, 7200, 1e12, Number.POSITIVE_INFINITY])
      expect(of(limited(seconds))).toMatchObject({ event: 'defer', dueInMs: 10 * minute });
    const expiring = { ...fresh, expiresInMs: 1234 as undefined | number };
    expect(afterFailedAttempt(limited(7200), expiring, policy, 0)).toMatchObject({
      event: 'defer',
      dueInMs: 1234,
    });
    expect(of(limited(7200), { ...inDoubt, unknownForMs: 59 * minute })).toMatchObject({
      event: 'unknown',
      dueInMs: minute + 1,
    });
  });

  it('holds an order that met an address without such an endpoint, and refuses it not for good', () => {
    const missing = new NotFoundError('404', { status: 404, mayHaveCharged: false });
    expect(afterFailedAttempt(missing, fresh, policy, 0, 5000)).toEqual({
      event: 'hold',
      dueInMs: 5000,
      mayHaveCharged: false,
    });
    expect(accountVerdict(missing)).toBe('account');
  });

  it('is a review for what was unknown for longer than `reviewAfter`, not for as long', () => {
    const outcome = (unknownForMs: number) => of(doubtful(), { ...inDoubt, unknownForMs });
    expect(outcome(60 * minute)).toMatchObject({ event: 'unknown' });
    expect(outcome(60 * minute + 1)).toEqual({ event: 'review', dueInMs: undefined, mayHaveCharged: true });
  });

  it('is a review for the last of `maxAttempts`, not before', () => {
    const given = { ...policy, maxAttempts: 3 };
    const outcome = (error: unknown, tries: number) => of(error, { ...fresh, tries }, given);
    expect(outcome(doubtful(), 1)).toMatchObject({ event: 'unknown' });
    expect(outcome(doubtful(), 2)).toEqual({ event: 'review', dueInMs: undefined, mayHaveCharged: true });
    expect(outcome(unavailable(), 1)).toMatchObject({ event: 'defer' });
    expect(outcome(unavailable(), 2)).toEqual({ event: 'review', dueInMs: undefined, mayHaveCharged: false });
    // An account at fault uses up no attempts.
    expect(outcome(account(), 50)).toMatchObject({ event: 'hold' });
    expect(outcome(refusal(), 50)).toMatchObject({ event: 'refuse' });
  });
});

describe('what is stored of an error', () => {
  it('is its name, its message, and its code and status where it has them', () => {
    expect(describeError(refusal())).toEqual({
      name: 'BillerNotConfiguredError',
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

import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { PacerStats } from '../pacing/pacer.js';
import { callSafely } from '../utils/call-safely.js';
import { loggerOf } from '../utils/logger.js';
import { readProperty } from '../utils/read-property.js';
import { flag, fn, instance, wholeNumber, withMethods } from '../validation/option-kinds.js';
import { assertOption, longestTimerMs } from '../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { type AccountStop, createAccount } from './account.js';
import { wholeMs } from './call-options.js';
import type { OrderPolicy } from './decide.js';
import { createLookUps } from './look-ups.js';
import type { OrderHook, OrderHooks, OrdersClient, OrdersOptions } from './options.js';
import { inProcessQueue } from './queues/in-process.js';
import type { OrderQueue } from './queues/queue.js';
import type { OrdersRuntime } from './runtime.js';
import type { OrderStore } from './store.js';
import type { TokenPolicy } from './tokens.js';

/** How much longer a process may hold an order than its call may take: for the writes before and after it. */
const leaseMarginMs = 30_000;

const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof readProperty(value, name) === 'function');

const schemaOf = <Client>() =>
  optionsOf({
    billpay: instance<OrdersClient>(
      (value) => hasMethods(value, 'purchase') && hasMethods(readProperty(value, 'transactions'), 'status'),
      'must be a client, such as new BillPay()',
    ),
    store: withMethods<OrderStore<Client>>(
      ['transaction', 'insert', 'update'],
      'must be an order store, such as postgresOrderStore(pool), sqliteOrderStore(database) or memoryOrderStore()',
    ),
    queue: z.optional(
      withMethods<OrderQueue<Client>>(
        ['enqueue', 'work', 'stop'],
        'must be an order queue, such as inProcessQueue() or pgBossQueue(boss)',
      ),
    ),
    on: z._default(
      optionsOf({
        delivered: z.optional(fn<OrderHook<Client>>()),
        failed: z.optional(fn<OrderHook<Client>>()),
        refused: z.optional(fn<OrderHook<Client>>()),
        held: z.optional(fn<NonNullable<OrderHooks<Client>['held']>>()),
        foreign: z.optional(fn<NonNullable<OrderHooks<Client>['foreign']>>()),
      } satisfies OptionShape<OrderHooks<Client>>),
      {},
    ),
    onTransition: z.optional(fn<NonNullable<OrdersOptions<Client>['onTransition']>>()),
    onError: z.optional(fn<NonNullable<OrdersOptions<Client>['onError']>>()),
    concurrency: z._default(wholeNumber(1), 8),
    sweepAfter: z._default(wholeMs(), 60_000),
    lookUpAfter: z._default(wholeMs(), 30_000),
    settleWithin: z._default(wholeMs(), 86_400_000),
    expireAfter: z.optional(wholeMs()),
    duplicateWithin: z.optional(wholeMs()),
    reviewAfter: z._default(wholeMs(), 3_600_000),
    maxAttempts: z._default(wholeNumber(1), 100),
    buyTimeout: z._default(wholeMs(), 120_000),
    lease: z.optional(wholeMs()),
    retryDelay: z.optional(fn<(n: number) => number>(' that takes the number of the try and returns ms')),
    storeTokens: z._default(flag(), false),
    encryptToken: z.optional(
      fn<NonNullable<TokenPolicy['encryptToken']>>(' that takes a token and returns what to store'),
    ),
    pacer: z.optional(
      withMethods<{ stats(): PacerStats }>(['stats'], 'must be the return value of createPacer()'),
    ),
  } satisfies OptionShape<OrdersOptions<Client>>);

/** Checks the options of `createOrders` and fills in the defaults. */
export function ordersRuntime<Client>(given: OrdersOptions<Client>): OrdersRuntime<Client> {
  const options = parseOptions(schemaOf<Client>(), given, { owner: 'createOrders' });
  const {
    billpay,
    store,
    on,
    buyTimeout,
    onError = reportError,
    concurrency,
    storeTokens,
    encryptToken,
  } = options;
  const { lease = Math.min(longestTimerMs, buyTimeout + leaseMarginMs), queue = inProcessQueue() } = options;
  assertOption(
    !storeTokens || !encryptToken,
    'storeTokens',
    'does not go with encryptToken: leave one of them out',
  );
  assertOption(lease >= buyTimeout, 'lease', `must be at least buyTimeout (${buyTimeout} ms)`);
  const retryDelay = safeDelay(options.retryDelay, onError);
  return {
    billpay,
    store,
    queue,
    hooks: on,
    account: createAccount({
      ...(retryDelay && { waitMs: retryDelay }),
      onChange: (stop) => {
        logAccount(billpay, stop);
        // All continue now, not with the next sweep, and another process that has stopped tries at once.
        if (!stop) void queue.enqueue({ type: 'sweep', resume: true }).catch(() => {});
      },
    }),
    lookUps: createLookUps(Math.ceil(concurrency / 2)),
    underway: new Map(),
    accepted: 0,
    policy: {
      lease,
      retryDelay,
      lookUpAfter: options.lookUpAfter,
      settleWithin: options.settleWithin,
      reviewAfter: options.reviewAfter,
      maxAttempts: options.maxAttempts,
    },
    tokens: { storeTokens, encryptToken },
    buyTimeout,
    expireAfter: options.expireAfter,
    duplicateWithin: options.duplicateWithin,
    onTransition: options.onTransition,
    onError,
    random: Math.random,
    concurrency,
    sweepAfter: options.sweepAfter,
    pacer: options.pacer,
  };
}

/** One line in the client's log when buying stops, and one when it continues. */
function logAccount(billpay: object, stop: AccountStop | undefined): void {
  if (!stop) {
    loggerOf(billpay)?.warn('billpay orders: the account is in order again, and buying continues', {});
    return;
  }
  const { error, nextTryAt } = stop;
  loggerOf(billpay)?.warn(
    'billpay orders: the account is at fault, and buying has stopped. One order tries again from time to time; after the fault is corrected, orders.resume() tries at once',
    { error, nextTryAt },
  );
}

/** The caller's waits; undefined, so that the backoff is used, where the function throws or returns something else than ms. */
function safeDelay(
  retryDelay: OrdersOptions<unknown>['retryDelay'],
  onError: OrdersRuntime<unknown>['onError'],
): OrderPolicy['retryDelay'] {
  if (!retryDelay) return undefined;
  return (n) => {
    try {
      const ms: unknown = retryDelay(n);
      if (typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs) return ms;
      throw new ConfigurationError(
        'retryDelay',
        'did not return a number of ms; the built-in backoff is used',
      );
    } catch (error) {
      callSafely(() => onError(error, undefined));
      return undefined;
    }
  };
}

function reportError(error: unknown, orderId: string | undefined): void {
  const which = orderId === undefined ? 'the worker' : `order ${orderId}`;
  // biome-ignore lint/suspicious/noConsole: the documented default, where nobody else would see the error.
  console.error(`billpay orders: ${which} had an error and is tried again later`, error);
}

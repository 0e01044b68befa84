import { ConfigurationError } from '../errors/configuration-error.js';
import { callSafely } from '../utils/call-safely.js';
import { loggerOf } from '../utils/logger.js';
import {
  assertOption,
  checkedFunction,
  longestTimerMs,
  refuseUnknownOptions,
  wholeNumber,
} from '../validation/options.js';
import { type AccountStop, createAccount } from './account.js';
import type { OrderPolicy } from './decide.js';
import { createLookUps } from './look-ups.js';
import type { OrdersOptions } from './options.js';
import { inProcessQueue } from './queues/in-process.js';
import type { OrdersRuntime } from './runtime.js';

const names: readonly (keyof OrdersOptions<unknown>)[] = [
  'billpay',
  'store',
  'queue',
  'on',
  'onTransition',
  'onError',
  'concurrency',
  'sweepAfter',
  'lookUpAfter',
  'settleWithin',
  'expireAfter',
  'duplicateWithin',
  'reviewAfter',
  'maxAttempts',
  'buyTimeout',
  'lease',
  'retryDelay',
  'storeTokens',
  'encryptToken',
  'pacer',
];

const hookNames = ['delivered', 'failed', 'refused', 'held', 'foreign'] as const;

/** How much longer a process may hold an order than its call may take: for the writes before and after it. */
const leaseMarginMs = 30_000;

type TimeOption =
  | 'sweepAfter'
  | 'lookUpAfter'
  | 'settleWithin'
  | 'expireAfter'
  | 'duplicateWithin'
  | 'reviewAfter'
  | 'buyTimeout'
  | 'lease';

/** Checks the options of `createOrders` and fills in the defaults. */
export function ordersRuntime<Client>(options: OrdersOptions<Client>): OrdersRuntime<Client> {
  refuseUnknownOptions(options, names, 'createOrders');
  const { billpay, store, queue, on = {} } = options;
  assertOption(
    typeof billpay?.purchase === 'function' && typeof billpay.transactions?.status === 'function',
    'billpay',
    'must be a client, such as new BillPay()',
  );
  assertOption(
    typeof store?.transaction === 'function' && typeof store.update === 'function',
    'store',
    'must be an order store, such as postgresOrderStore(pool), sqliteOrderStore(database) or memoryOrderStore()',
  );
  assertOption(
    queue === undefined || typeof queue?.enqueue === 'function',
    'queue',
    'must be an order queue, such as inProcessQueue() or pgBossQueue(boss)',
  );
  refuseUnknownOptions(on, hookNames, 'createOrders({ on })');
  for (const name of hookNames) checkedFunction(`on.${name}`, on[name]);
  checkedFunction('encryptToken', options.encryptToken, ' that takes a token and returns what to store');
  assertOption(
    !options.storeTokens || !options.encryptToken,
    'storeTokens',
    'does not go with encryptToken: leave one of them out',
  );
  const ms = (name: TimeOption, fallback: number) => {
    const value = wholeNumber(name, options[name] ?? fallback, 1);
    assertOption(value <= longestTimerMs, name, `must be at most ${longestTimerMs} ms (24 days)`);
    return value;
  };
  const optionalMs = (name: TimeOption) => (options[name] === undefined ? undefined : ms(name, 0));
  const buyTimeout = ms('buyTimeout', 120_000);
  const onError = checkedFunction('onError', options.onError) ?? reportError;
  const lease = ms('lease', buyTimeout + leaseMarginMs);
  assertOption(lease >= buyTimeout, 'lease', `must be at least buyTimeout (${buyTimeout} ms)`);
  const retryDelay = safeDelay(
    checkedFunction('retryDelay', options.retryDelay, ' that takes the number of the try and returns ms'),
    onError,
  );
  const concurrency = wholeNumber('concurrency', options.concurrency ?? 8, 1);
  const jobs = queue ?? inProcessQueue();
  return {
    billpay,
    store,
    queue: jobs,
    hooks: on,
    account: createAccount({
      ...(retryDelay && { waitMs: retryDelay }),
      onChange: (stop) => {
        logAccount(billpay, stop);
        // All continue now, not with the next sweep.
        if (!stop) void jobs.enqueue({ type: 'sweep' }).catch(() => {});
      },
    }),
    lookUps: createLookUps(Math.ceil(concurrency / 2)),
    underway: new Map(),
    accepted: 0,
    policy: {
      lease,
      retryDelay,
      lookUpAfter: ms('lookUpAfter', 30_000),
      settleWithin: ms('settleWithin', 86_400_000),
      reviewAfter: ms('reviewAfter', 3_600_000),
      maxAttempts: wholeNumber('maxAttempts', options.maxAttempts ?? 100, 1),
    },
    tokens: { storeTokens: options.storeTokens === true, encryptToken: options.encryptToken },
    buyTimeout,
    expireAfter: optionalMs('expireAfter'),
    duplicateWithin: optionalMs('duplicateWithin'),
    onTransition: checkedFunction('onTransition', options.onTransition),
    onError,
    random: Math.random,
    concurrency,
    sweepAfter: ms('sweepAfter', 60_000),
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

/** The caller's waits; undefined, so that the backoff is used, where the function throws or gives something else than ms. */
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

import { ConfigurationError } from '../errors/configuration-error.js';
import { callSafely } from '../utils/call-safely.js';
import {
  assertOption,
  checkedFunction,
  longestTimerMs,
  refuseUnknownOptions,
  wholeNumber,
} from '../validation/options.js';
import type { OrderPolicy } from './decide.js';
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
  'reviewAfter',
  'maxAttempts',
  'buyTimeout',
  'lease',
  'retryDelay',
  'storeTokens',
  'encryptToken',
  'pacer',
];

const hookNames = ['delivered', 'failed', 'refused', 'foreign'] as const;

/** How much longer a process may hold an order than its call may take: for the writes before and after it. */
const leaseMarginMs = 30_000;

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
  checkedFunction('encryptToken', options.encryptToken, ' that takes a token and gives what to store');
  assertOption(
    !options.storeTokens || !options.encryptToken,
    'storeTokens',
    'does not go with encryptToken: leave one of them out',
  );
  const ms = (
    name: 'sweepAfter' | 'lookUpAfter' | 'reviewAfter' | 'buyTimeout' | 'lease',
    fallback: number,
  ) => {
    const value = wholeNumber(name, options[name] ?? fallback, 1);
    assertOption(value <= longestTimerMs, name, `must be at most ${longestTimerMs} ms (24 days)`);
    return value;
  };
  const buyTimeout = ms('buyTimeout', 120_000);
  const onError = checkedFunction('onError', options.onError) ?? reportError;
  const lease = ms('lease', buyTimeout + leaseMarginMs);
  assertOption(lease >= buyTimeout, 'lease', `must be at least buyTimeout (${buyTimeout} ms)`);
  return {
    billpay,
    store,
    queue: queue ?? inProcessQueue(),
    hooks: on,
    policy: {
      lease,
      retryDelay: safeDelay(
        checkedFunction('retryDelay', options.retryDelay, ' that takes the number of the try and gives ms'),
        onError,
      ),
      lookUpAfter: ms('lookUpAfter', 300_000),
      reviewAfter: ms('reviewAfter', 3_600_000),
      maxAttempts: wholeNumber('maxAttempts', options.maxAttempts ?? 100, 1),
    },
    tokens: { storeTokens: options.storeTokens === true, encryptToken: options.encryptToken },
    buyTimeout,
    onTransition: checkedFunction('onTransition', options.onTransition),
    onError,
    random: Math.random,
    concurrency: wholeNumber('concurrency', options.concurrency ?? 8, 1),
    sweepAfter: ms('sweepAfter', 60_000),
  };
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
  console.error(`billpay orders: ${which} met an error and is tried again later`, error);
}

import type { WebhookEvent } from '../contract/events.js';
import type { PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase, Transaction } from '../contract/responses.js';
import { ConfigurationError } from '../errors/base.js';
import type { CallOptions, PurchaseOptions } from '../options.js';
import type { PacerStats } from '../pacing/pacer.js';
import { callSafely } from '../utils/functions.js';
import { readProperty } from '../utils/unknown.js';
import {
  assertOption,
  flag,
  fn,
  instance,
  longestTimerMs,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  wholeNumber,
  withDefault,
  withMethods,
} from '../validation/options.js';
import { wholeMs } from './call-options.js';
import type { Order } from './order.js';
import { inProcessQueue } from './queues/in-process.js';
import type { OrderQueue } from './queues/queue.js';
import type { OrderState } from './states.js';
import type { OrderStore } from './store.js';

/** What is needed of a client: any `BillPay` will do. */
export interface OrdersClient {
  /** Buys one item under its key. */
  purchase(item: PurchaseItem, options?: PurchaseOptions): PromiseLike<Purchase>;
  /** Status checks of transactions. */
  readonly transactions: {
    /** The state of one transaction. */
    status(reference: string, options?: CallOptions): PromiseLike<Transaction>;
  };
}

/** What a hook may use besides the order. */
export interface HookContext<Client> {
  /** Writes within the transaction that changes the order's state: both happen, or neither. */
  readonly client: Client;
  /** The token or PIN as the service sent it, of a delivered order that has one. Worth money: never log it. */
  readonly token: string | undefined;
}

/** Runs exactly once for an order, in the same database transaction as its change of state. If it throws, both are undone and it runs again. */
export type OrderHook<Client> = (order: Order, context: HookContext<Client>) => unknown;

/** What happens to your own data when an order ends. */
export interface OrderHooks<Client> {
  /** The customer has the value. */
  readonly delivered?: OrderHook<Client> | undefined;
  /** The purchase failed and the wallet has been refunded: refund your customer. */
  readonly failed?: OrderHook<Client> | undefined;
  /** The order was certainly never charged: refund your customer, or offer another product. */
  readonly refused?: OrderHook<Client> | undefined;
  /**
   * An order was refused because the account is at fault (401, 402, 403, or a wrong option of the client): fund the wallet or correct the key. It
   * is held, and so are the orders that follow, for which this is not called. Outside of any transaction.
   */
  readonly held?: ((order: Order) => unknown) | undefined;
  /** A verified webhook whose reference belongs to no order here, without its token. It may come more than once. Outside of any transaction. */
  readonly unmatched?: ((event: WebhookEvent) => unknown) | undefined;
}

/** Options for `createOrders`. */
export interface OrdersOptions<Client> {
  /** The client that buys. */
  readonly billpay: OrdersClient;
  /** Where orders are stored: `postgresOrderStore`, `mysqlOrderStore`, `sqliteOrderStore` or `memoryOrderStore`. */
  readonly store: OrderStore<Client>;
  /** What runs the jobs: `inProcessQueue()`, the default, `pgBossQueue(boss)` or `bullmqQueue({ … })`. */
  readonly queue?: OrderQueue<Client> | undefined;
  /** What happens to your own data when an order ends. Default: nothing. */
  readonly on?: OrderHooks<Client> | undefined;
  /** Called after each change of state, outside of the transaction: for metrics and logs. One that throws breaks nothing. Default: none. */
  readonly onTransition?: ((order: Order, from: OrderState, to: OrderState) => void) | undefined;
  /**
   * Called with errors of hooks and of the store that a worker had, whose step runs again later, and with a `ContradictoryEndError`, which a
   * person must look at. Default: `console.error`.
   */
  readonly onError?: ((error: unknown, orderId: string | undefined) => void) | undefined;
  /** How many orders a worker buys at a time. Default 8. Half as many status checks are made besides. */
  readonly concurrency?: number | undefined;
  /**
   * The longest time in ms until a worker finds an order that is due. Default 1,000 in this process; 60,000 on an engine, whose jobs come before
   * that.
   */
  readonly sweepInterval?: number | undefined;
  /** ms until the first status check of an accepted order that no webhook settled; then ever more slowly. Default 30,000. */
  readonly checkAfter?: number | undefined;
  /** ms that an accepted order may stay without an end before a person must look. Default 86,400,000: a day. */
  readonly settleWithin?: number | undefined;
  /**
   * ms after which an order that was certainly never charged is no longer bought, and ends as `refused`. Default: never.
   */
  readonly expireAfter?: number | undefined;
  /**
   * ms within which the same product with the same parameters may not be placed again under another id, for the same customer where `place` is
   * given one: a double tap. `place` then rejects with a `DuplicateOrderError`. Default: off.
   */
  readonly duplicateWithin?: number | undefined;
  /** ms that an order may be unknown before a person must look. Default 3,600,000. */
  readonly reviewAfter?: number | undefined;
  /** Attempts to buy before a person must look. Default 100. */
  readonly maxAttempts?: number | undefined;
  /** ms for one attempt to buy, waits and retries within it included: replaces the client's `totalTimeout`. Default 120,000. */
  readonly buyTimeout?: number | undefined;
  /** ms that one process may hold an order before another continues with it. Default `buyTimeout` plus 30,000; never less than `buyTimeout`. */
  readonly lease?: number | undefined;
  /**
   * Returns the longest wait before try `n` of an order (1 for the first), in ms: mainly for tests, such as `() => 0`. Default: what `nextStep`
   * asks, and at least 5,000, doubled with each try up to 15 minutes. The wait lies at random between half of it and the whole.
   */
  readonly retryDelay?: ((n: number) => number) | undefined;
  /** Store tokens and PINs as they come. Default false: the order keeps the last four characters. */
  readonly storeTokens?: boolean | undefined;
  /** Stores what this function returns in place of the token. Not together with `storeTokens`. Default: none. */
  readonly encryptToken?: ((token: string) => string | Promise<string>) | undefined;
  /** The pacer of the client, so that `stats()` shows how many calls wait in it. Default: none. */
  readonly pacer?: { stats(): PacerStats } | undefined;
}

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
    queue: optional(
      withMethods<OrderQueue<Client>>(
        ['send', 'work', 'stop'],
        'must be an order queue, such as inProcessQueue() or pgBossQueue(boss)',
      ),
    ),
    on: withDefault(
      optionsOf({
        delivered: optional(fn<OrderHook<Client>>()),
        failed: optional(fn<OrderHook<Client>>()),
        refused: optional(fn<OrderHook<Client>>()),
        held: optional(fn<NonNullable<OrderHooks<Client>['held']>>()),
        unmatched: optional(fn<NonNullable<OrderHooks<Client>['unmatched']>>()),
      } satisfies OptionShape<OrderHooks<Client>>),
      {},
    ),
    onTransition: optional(fn<NonNullable<OrdersOptions<Client>['onTransition']>>()),
    onError: withDefault(fn<NonNullable<OrdersOptions<Client>['onError']>>(), logError),
    concurrency: withDefault(wholeNumber(1), 8),
    sweepInterval: optional(wholeMs()),
    checkAfter: withDefault(wholeMs(), 30_000),
    settleWithin: withDefault(wholeMs(), 86_400_000),
    expireAfter: optional(wholeMs()),
    duplicateWithin: optional(wholeMs()),
    reviewAfter: withDefault(wholeMs(), 3_600_000),
    maxAttempts: withDefault(wholeNumber(1), 100),
    buyTimeout: withDefault(wholeMs(), 120_000),
    lease: optional(wholeMs()),
    retryDelay: optional(fn<(n: number) => number>(' that takes the number of the try and returns ms')),
    storeTokens: withDefault(flag(), false),
    encryptToken: optional(
      fn<NonNullable<OrdersOptions<Client>['encryptToken']>>(' that takes a token and returns what to store'),
    ),
    pacer: optional(
      withMethods<{ stats(): PacerStats }>(['stats'], 'must be the return value of createPacer()'),
    ),
  } satisfies OptionShape<OrdersOptions<Client>>);

/** The options of `createOrders`, checked and with their defaults. */
export type ResolvedOptions<Client> = ReturnType<typeof resolveOptions<Client>>;

/** Checks the options of `createOrders` and fills in the defaults. */
export function resolveOptions<Client>(given: OrdersOptions<Client>) {
  const options = parseOptions(schemaOf<Client>(), given, { owner: 'createOrders' });
  const { buyTimeout, storeTokens, encryptToken, onError } = options;
  const lease = options.lease ?? Math.min(longestTimerMs, buyTimeout + leaseMarginMs);
  assertOption(
    !storeTokens || !encryptToken,
    'storeTokens',
    'does not go with encryptToken: leave one of them out',
  );
  assertOption(lease >= buyTimeout, 'lease', `must be at least buyTimeout (${buyTimeout} ms)`);
  const queue: OrderQueue<Client> = options.queue ?? inProcessQueue();
  const { sweepInterval = queue.sweepInterval } = options;
  return {
    ...options,
    lease,
    queue,
    sweepInterval,
    retryDelay: safeDelay(options.retryDelay, onError),
  };
}

/** The caller's waits; undefined, so that the backoff is used, where the function throws or returns something else than ms. */
function safeDelay(
  retryDelay: OrdersOptions<unknown>['retryDelay'],
  onError: NonNullable<OrdersOptions<unknown>['onError']>,
): ((n: number) => number | undefined) | undefined {
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

function logError(error: unknown, orderId: string | undefined): void {
  const which = orderId === undefined ? 'the worker' : `order ${orderId}`;
  // biome-ignore lint/suspicious/noConsole: the documented default, where nobody else would see the error.
  console.error(`billpay orders: ${which} had an error and is tried again later`, error);
}

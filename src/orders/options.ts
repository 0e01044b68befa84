import type { WebhookEvent } from '../contract/events.js';
import type { PurchaseItem } from '../contract/purchase-item.js';
import type { Purchase, Transaction } from '../contract/responses.js';
import type { CallOptions, PurchaseOptions } from '../options.js';
import type { PacerStats } from '../pacing/pacer.js';
import type { Order } from './order.js';
import type { OrderQueue } from './queues/queue.js';
import type { OrderState } from './states.js';
import type { OrderStore } from './store.js';

/** What is needed of a client: any `BillPay` will do. */
export interface OrdersClient {
  /** Buys one item under its key. */
  purchase(item: PurchaseItem, options?: PurchaseOptions): PromiseLike<Purchase>;
  /** Lookups of transactions. */
  readonly transactions: {
    /** Looks one transaction up. */
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
  /** The sale failed and the wallet has been refunded: refund your customer. */
  readonly failed?: OrderHook<Client> | undefined;
  /** The order was certainly never charged: refund your customer, or offer another product. */
  readonly refused?: OrderHook<Client> | undefined;
  /**
   * An order waits because the account is at fault (401, 402, 403, or a wrong option of the client): fund the wallet or correct the key. Outside
   * of any transaction.
   */
  readonly held?: ((order: Order) => unknown) | undefined;
  /** A verified webhook whose reference belongs to no order here. It comes without its token. Outside of any transaction. */
  readonly foreign?: ((event: WebhookEvent) => unknown) | undefined;
}

/** Options for `createOrders`. */
export interface OrdersOptions<Client> {
  /** The client that buys. */
  readonly billpay: OrdersClient;
  /** Where orders are stored: `postgresOrderStore`, `sqliteOrderStore` or `memoryOrderStore`. */
  readonly store: OrderStore<Client>;
  /** What runs the jobs. Default `inProcessQueue()`. */
  readonly queue?: OrderQueue<Client> | undefined;
  /** What happens to your own data when an order ends. */
  readonly on?: OrderHooks<Client> | undefined;
  /** Called after each change of state, outside of the transaction: for metrics and logs. One that throws breaks nothing. */
  readonly onTransition?: ((order: Order, from: OrderState, to: OrderState) => void) | undefined;
  /**
   * Called with errors of hooks and of the store that a worker had, whose step runs again later, and with a `ContradictoryEndError`, which a
   * person must look at. Default: `console.error`.
   */
  readonly onError?: ((error: unknown, orderId: string | undefined) => void) | undefined;
  /** How many orders a worker buys at a time. Default 8. Half as many lookups are made besides. */
  readonly concurrency?: number | undefined;
  /** ms between two sweeps, which find what no job remembers. Default 60,000. */
  readonly sweepAfter?: number | undefined;
  /** ms until an accepted order that no webhook settled is first looked up; then ever more slowly. Default 30,000. */
  readonly lookUpAfter?: number | undefined;
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
  /** ms that an order may be in doubt before a person must look. Default 3,600,000. */
  readonly reviewAfter?: number | undefined;
  /** Attempts to buy before a person must look. Default 100. */
  readonly maxAttempts?: number | undefined;
  /** ms for one attempt to buy, waits and retries within it included: replaces the client's `totalTimeout`. Default 120,000. */
  readonly buyTimeout?: number | undefined;
  /** ms that one process may hold an order before another continues with it. Default `buyTimeout` plus 30,000; never less than `buyTimeout`. */
  readonly lease?: number | undefined;
  /**
   * The longest wait before try `n` of an order (1 for the first), in ms, in the place of what `nextStep` asks and the growing backoff: mainly
   * for tests, such as `() => 0`. As with the client's option, the wait lies at random between half of it and the whole.
   */
  readonly retryDelay?: ((n: number) => number) | undefined;
  /** Store tokens and PINs as they come. Default false: the order keeps the last four characters. */
  readonly storeTokens?: boolean | undefined;
  /** Stores what this function returns in place of the token. Not together with `storeTokens`. */
  readonly encryptToken?: ((token: string) => string | Promise<string>) | undefined;
  /** The pacer of the client, so that `stats()` shows how many calls wait in it. */
  readonly pacer?: { stats(): PacerStats } | undefined;
}

import type * as resources from '../../control/resources.js';
import type { Received } from '../../control/resources.js';
import type { triggers } from '../../lab/triggers.js';
import type { SandboxCatalogue } from '../../rules/catalogue.js';

/** The resources of the control API as the page receives them. */

export type Transaction = Received<typeof resources.transaction>;
export type TransactionDetail = Received<typeof resources.transactionDetail>;
export type Delivery = Received<typeof resources.delivery>;
export type DeliveryDetail = Received<typeof resources.deliveryDetail>;
export type Attempt = Received<typeof resources.attempt>;
export type LoggedRequest = Received<typeof resources.request>;
export type RequestDetail = Received<typeof resources.requestDetail>;
export type LedgerEntry = Received<typeof resources.ledgerEntry>;
export type Client = Received<typeof resources.client>;
export type Fault = Received<typeof resources.fault>;
export type Clock = Received<typeof resources.clock>;
export type Summary = Received<typeof resources.summary>;
export type Info = Received<typeof resources.info>;
export type Catalogue = SandboxCatalogue;
export type Trigger = (typeof triggers)[number];

/** One page of a list. */
export interface ListPage<T> {
  readonly data: readonly T[];
  /** How many there are on all pages; null on pages after the first. */
  readonly total: number | null;
  /** Pass it as `after` for the next page; null on the last one. */
  readonly next: string | null;
}

/** One message of the event stream. */
export type SandboxEvent =
  | { readonly type: 'request'; readonly request: LoggedRequest; readonly transaction?: Transaction }
  | {
      readonly type: 'transaction';
      readonly change: 'accepted' | 'settled';
      readonly transaction: Transaction;
    }
  | { readonly type: 'wallet'; readonly client_id: string; readonly entry: LedgerEntry }
  | { readonly type: 'event'; readonly delivery: Delivery; readonly transaction?: Transaction }
  | {
      readonly type: 'delivery';
      readonly delivery: Delivery;
      readonly attempt: Attempt;
      readonly transaction?: Transaction;
    }
  | { readonly type: 'summary'; readonly summary: Summary }
  | { readonly type: 'fault'; readonly change: 'added' | 'used' | 'removed'; readonly fault: Fault }
  | { readonly type: 'subscription' | 'client'; readonly client_id: string }
  | { readonly type: 'price' | 'clock' | 'reset' | 'missed' };

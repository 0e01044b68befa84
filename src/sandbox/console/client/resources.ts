import type { summaryView } from '../../control/summary.js';
import type {
  attemptView,
  clientView,
  clockView,
  deliveryDetail,
  deliveryView,
  faultView,
  ledgerView,
  requestDetail,
  requestView,
  transactionDetail,
  transactionView,
} from '../../control/views.js';
import type { triggers } from '../../lab/triggers.js';
import type { SandboxCatalogue } from '../../rules/catalogue.js';

/** The resources of the control API as the page receives them: their types follow from the views that make them. */

/** What a value is after its way through JSON. */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? { readonly [Name in keyof T]: Json<T[Name]> }
      : T;

export type Transaction = Json<ReturnType<typeof transactionView>>;
export type TransactionDetail = Json<ReturnType<typeof transactionDetail>>;
export type Delivery = Json<ReturnType<typeof deliveryView>>;
export type DeliveryDetail = Json<ReturnType<typeof deliveryDetail>>;
export type Attempt = Json<ReturnType<typeof attemptView>>;
export type LoggedRequest = Json<ReturnType<typeof requestView>>;
export type RequestDetail = Json<ReturnType<typeof requestDetail>>;
export type LedgerEntry = Json<ReturnType<typeof ledgerView>>;
export type Client = Json<ReturnType<typeof clientView>>;
export type Fault = Json<ReturnType<typeof faultView>>;
export type Clock = Json<ReturnType<typeof clockView>>;
export type Catalogue = Json<SandboxCatalogue>;
export type Summary = Json<ReturnType<typeof summaryView>>;
export type Trigger = (typeof triggers)[number];

export interface Info {
  readonly version: string;
  readonly run_id: string;
  readonly base_url: string;
  readonly seed: string;
  readonly clock: Clock;
  readonly default_client_id: string;
}

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

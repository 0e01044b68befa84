import type { HttpResponse } from './responses.js';
import type { Transaction } from './transactions.js';

/** What a recipient of the lab's list makes the service do. */
export type TriggerEffect =
  | 'settles as failed'
  | 'stays pending'
  | 'provider unavailable'
  | 'validation cannot confirm'
  | 'response lost'
  | 'slow'
  | 'error after the debit'
  | 'proxy page'
  | 'queue unavailable';

/** What working on a request led to. */
export interface WorkResult {
  readonly response: HttpResponse;
  readonly transaction?: Transaction;
  /** Whether it repeated a key, and so charged nothing. */
  readonly replayed?: boolean;
  /** The response is lost on its way. */
  readonly closed?: boolean;
}

/** A request that was admitted. */
export interface Work {
  /** Whether it is a purchase under a new key: a trigger may hold it. */
  readonly isNew: boolean;
  run(): WorkResult;
  /** Called when the response has been made. */
  end(): void;
}

export const done = (result: WorkResult): Work => ({
  isNew: false,
  run: () => result,
  end: () => undefined,
});

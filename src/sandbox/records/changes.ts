import type { SandboxDelivery, SandboxDeliveryAttempt } from './delivery.js';
import type { ActiveFault, LedgerEntry, PriceChange, SandboxRequest, SandboxTransaction } from './objects.js';

/** What happened, by type. */
export type ActivityDetail =
  /** A request got its response, or its connection closed. */
  | { readonly type: 'request'; readonly request: SandboxRequest }
  /** A purchase was accepted, or a transaction reached a final state. */
  | {
      readonly type: 'transaction';
      readonly change: 'accepted' | 'settled';
      readonly transaction: SandboxTransaction;
    }
  /** A wallet moved. */
  | { readonly type: 'wallet'; readonly clientId: string; readonly entry: LedgerEntry }
  /** A client subscribed its webhook endpoint. The secret is not included. */
  | {
      readonly type: 'subscription';
      readonly clientId: string;
      readonly url: string;
      readonly enabled: boolean;
    }
  /** A settled transaction has an event for its subscriber; its attempts follow as `delivery`. */
  | { readonly type: 'event'; readonly delivery: SandboxDelivery }
  /** A listed price was changed. */
  | { readonly type: 'price'; readonly price: PriceChange }
  /** A webhook was sent; `attempt` says how that ended. */
  | {
      readonly type: 'delivery';
      readonly delivery: SandboxDelivery;
      readonly attempt: SandboxDeliveryAttempt;
    }
  /** A fault was added, met a request, or was removed. */
  | { readonly type: 'fault'; readonly change: 'added' | 'used' | 'removed'; readonly fault: ActiveFault }
  /** A client's keys or conditions changed. */
  | { readonly type: 'client'; readonly clientId: string }
  /** A manual clock moved on. */
  | { readonly type: 'clock'; readonly now: Date }
  /** Everything was set back to the beginning. */
  | { readonly type: 'reset' };

/** One thing that happened in the sandbox, as `sandbox.onActivity` reports it. */
export type SandboxActivity = ActivityDetail & {
  /** Counts from 1. */
  readonly id: number;
  /** When, by the sandbox's clock. */
  readonly at: Date;
};

/**
 * Receives each activity, after the change was made and kept. An error that it throws is written to the console; the change stands, and the
 * other listeners are called.
 */
export type ActivityListener = (activity: SandboxActivity) => void;

/** A change could not be written, so that it is lost with the process. */
export class ChangeNotKept extends Error {
  constructor(cause: unknown) {
    super(
      'The sandbox cannot write its state file, so it changes nothing any more. Make room, and start it again.',
      {
        cause,
      },
    );
  }
}

/**
 * The one way for a change: it is made, written to the state file, and reported to the listeners, in this order. A change that cannot be
 * written fails its caller, and so does every later one: what was not kept must not be acknowledged by anything that follows.
 */
export class Changes {
  readonly #listeners = new Set<ActivityListener>();
  readonly #now: () => Date;
  readonly #unreported: SandboxActivity[] = [];
  #write: ((details: readonly ActivityDetail[]) => void) | undefined;
  #failure: ChangeNotKept | undefined;
  #lastId = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Why nothing can be changed any more; undefined while all is well. */
  get failure(): ChangeNotKept | undefined {
    return this.#failure;
  }

  /** Makes a change, which returns what happened by it. Throws `ChangeNotKept`. */
  commit(change: () => readonly ActivityDetail[]): void {
    if (this.#failure) throw this.#failure;
    const details = change();
    try {
      this.#write?.(details);
    } catch (error) {
      this.#failure = new ChangeNotKept(error);
      throw this.#failure;
    }
    this.report(...details);
  }

  /** Tells the listeners what happened; only for what is not kept in the state file. */
  report(...details: readonly ActivityDetail[]): void {
    const firstId = this.#lastId + 1;
    this.#lastId += details.length;
    // Activities are made only where somebody listens: copying every detail takes longer than most changes do.
    if (this.#listeners.size === 0) return;
    const at = this.#now();
    const isReporting = this.#unreported.length > 0;
    this.#unreported.push(...details.map((detail, index) => ({ ...detail, id: firstId + index, at })));
    // A listener may change something itself: what happens by that is reported after this change.
    if (isReporting) return;
    for (let next = this.#unreported[0]; next; next = this.#unreported[0]) {
      this.#tell(next);
      this.#unreported.shift();
    }
  }

  listen(listener: ActivityListener): () => void {
    const own: ActivityListener = (activity) => listener(activity);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Keeps every change from now on; undefined: in memory only. */
  writeTo(write: ((details: readonly ActivityDetail[]) => void) | undefined): void {
    this.#write = write;
  }

  /** An error of a listener is its own: it ends neither the change nor the process. */
  #tell(activity: SandboxActivity): void {
    for (const listener of this.#listeners) {
      try {
        const result: unknown = listener(activity);
        if (result instanceof Promise) result.catch(reportError);
      } catch (error) {
        reportError(error);
      }
    }
  }
}

/** Tells of an error that nobody waits for, and that must not end the process. */
export const reportError = (error: unknown): void =>
  // biome-ignore lint/suspicious/noConsole: there is nobody else to tell.
  console.error('billpay sandbox:', error);

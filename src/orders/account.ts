import type { Purchase } from '../contract/responses.js';
import { accountVerdict, accountWaitMs, describeError } from './decide.js';
import type { OrderError } from './order.js';

/** An account at fault, for `stats`. */
export interface AccountStop {
  /** When this process saw it first. */
  readonly since: Date;
  /** Why every order would be refused: the error of the last attempt. */
  readonly error: OrderError;
  /** When the next order tries. */
  readonly nextTryAt: Date;
}

/** How an attempt to buy ended. */
export type AttemptOutcome = { readonly purchase: Purchase } | { readonly error: unknown };

/** Lets orders be bought, or one at a time while the account is at fault. */
export interface Account {
  /** Why and since when this process has stopped buying; undefined while it buys. */
  stopped(): AccountStop | undefined;
  /** Whether an order could be bought now. */
  isOpen(): boolean;
  /** Admits an order to be bought now. What was admitted must `leave`. */
  enter(id: string): boolean;
  /** Reports how the attempt of an order ended; `undefined` where none was made. */
  leave(id: string, outcome: AttemptOutcome | undefined): void;
  /** Lets the next order try at once. */
  resume(): void;
}

/** What `createAccount` depends on. */
interface AccountOptions {
  /** The wait before the n-th try, in ms. */
  readonly waitMs?: (n: number) => number | undefined;
  /** Called when buying stops, and with `undefined` when it continues. */
  readonly onChange: (stop: AccountStop | undefined) => void;
}

const errorOf = (outcome: AttemptOutcome | undefined): unknown =>
  outcome && 'error' in outcome ? outcome.error : undefined;

interface Stop {
  readonly since: number;
  error: OrderError;
  tries: number;
  nextTryAt: number;
  /** The order that tries at this moment. */
  trying: string | undefined;
}

/**
 * What this process knows of the account. After an error that concerns every order, all but one stop asking: that one tries after a minute,
 * then at growing intervals up to 15 minutes, and when it passes, all continue.
 */
export function createAccount({ waitMs = () => undefined, onChange }: AccountOptions): Account {
  let stop: Stop | undefined;
  const nextTry = (tries: number) => Date.now() + (waitMs(tries) ?? accountWaitMs(tries));
  const isTimeToTry = ({ trying, nextTryAt }: Stop) => trying === undefined && Date.now() >= nextTryAt;
  const view = ({ since, error, nextTryAt }: Stop): AccountStop => ({
    since: new Date(since),
    error,
    nextTryAt: new Date(nextTryAt),
  });

  return {
    stopped: () => stop && view(stop),
    isOpen: () => !stop || isTimeToTry(stop),
    enter(id) {
      if (!stop) return true;
      if (!isTimeToTry(stop)) return false;
      stop.trying = id;
      return true;
    },
    leave(id, outcome) {
      const verdict = outcome && ('purchase' in outcome ? 'right' : accountVerdict(outcome.error));
      if (!stop) {
        if (verdict !== 'fault') return;
        const error = describeError(errorOf(outcome));
        stop = { since: Date.now(), error, tries: 1, nextTryAt: nextTry(1), trying: undefined };
        onChange(view(stop));
        return;
      }
      // An attempt that had begun before the stop says nothing new.
      if (stop.trying !== id) return;
      stop.trying = undefined;
      if (verdict === 'right') {
        stop = undefined;
        onChange(undefined);
        return;
      }
      if (verdict === undefined) return;
      if (verdict === 'fault') {
        stop.tries++;
        stop.error = describeError(errorOf(outcome));
      }
      stop.nextTryAt = nextTry(stop.tries);
    },
    resume() {
      if (stop) stop.nextTryAt = Date.now();
    },
  };
}

import { ConfigurationError } from '../errors/configuration-error.js';
import { onAbort } from '../utils/on-abort.js';
import type { Transport, TransportFailure, TransportOutcome } from './transport.js';

/** How long a transport may take to report a time-out or an abort by itself, in ms. */
const graceMs = 100;

/**
 * Makes a caller's transport safe to rely on. Whatever it throws, and whatever it resolves to that is no outcome, is a
 * failure after which the request may have arrived; and an attempt settles even if the transport keeps no bounds.
 */
export function boundedTransport(transport: Transport): Transport {
  return async (request, bounds) => {
    try {
      const sending = transport(request, bounds);
      return checkedOutcome(await settledInTime(sending, bounds.timeoutMs, bounds.signal));
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      return { kind: 'failure', why: 'connection', mayHaveArrived: true, cause: error };
    }
  };
}

/** The transport's own outcome if it comes in time, because it may know more; else what is known without it. */
function settledInTime(
  sending: Promise<TransportOutcome>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<TransportOutcome> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: TransportFailure['why']) => resolve({ kind: 'failure', why, mayHaveArrived: true });
    let timer = setTimeout(() => giveUp('timeout'), timeoutMs + graceMs);
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      timer = setTimeout(() => giveUp('aborted'), graceMs);
    });
    Promise.resolve(sending)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        stopListening();
      });
  });
}

function checkedOutcome(outcome: TransportOutcome): TransportOutcome {
  if (isOutcome(outcome)) return outcome;
  throw new TypeError('the transport resolved to something that is neither a response nor a failure');
}

/** Callers write JavaScript, too: a status that is no number must not be taken for one of the service's. */
function isOutcome(outcome: Partial<TransportOutcome> | undefined): boolean {
  if (outcome?.kind === 'failure') {
    return typeof outcome.mayHaveArrived === 'boolean' && typeof outcome.why === 'string';
  }
  return (
    outcome?.kind === 'response' &&
    Number.isInteger(outcome.status) &&
    typeof outcome.text === 'string' &&
    typeof outcome.headers?.get === 'function'
  );
}

import { ConfigurationError } from '../errors/configuration-error.js';
import { onAbort } from '../utils/on-abort.js';
import type { Transport, TransportFailure, TransportOutcome } from './transport.js';

/** How long a transport may take to report a time-out or an abort by itself, in ms. */
const graceMs = 100;

const ownTransports = new WeakSet<Transport>();

/**
 * Marks a transport of this package, which needs no guard: it keeps its bounds and resolves to nothing but outcomes. If the ESM and
 * the CommonJS copy of the package meet, one copy guards the transports of the other, which costs a little and changes nothing.
 */
export function ownTransport(transport: Transport): Transport {
  ownTransports.add(transport);
  return transport;
}

/**
 * Makes a caller's transport safe to rely on. Whatever it throws, and whatever it resolves to that is no outcome, is a
 * failure after which the request may have arrived; and an attempt settles even if the transport keeps no bounds. Within
 * its bounds the transport's own outcome is used, because it may know more than is known without it.
 */
export function boundedTransport(transport: Transport): Transport {
  if (ownTransports.has(transport)) return transport;
  return (request, bounds) =>
    new Promise((resolve, reject) => {
      const end = (outcome: TransportOutcome) => {
        clearTimeout(timer);
        stopListening();
        resolve(isOutcome(outcome) ? outcome : failure('connection', notAnOutcome()));
      };
      const fail = (error: unknown) => {
        if (error instanceof ConfigurationError) reject(error);
        end(failure('connection', error));
      };
      let timer = setTimeout(end, bounds.timeoutMs + graceMs, failure('timeout'));
      const stopListening = onAbort(bounds.signal, () => {
        clearTimeout(timer);
        timer = setTimeout(end, graceMs, failure('aborted'));
      });
      try {
        Promise.resolve(transport(request, bounds)).then(end).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
}

const failure = (why: TransportFailure['why'], cause?: unknown): TransportFailure => ({
  kind: 'failure',
  why,
  mayHaveArrived: true,
  cause,
});

const notAnOutcome = () =>
  new TypeError('the transport resolved to something that is neither a response nor a failure');

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

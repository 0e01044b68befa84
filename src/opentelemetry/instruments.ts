import { diag, type Meter, metrics } from '@opentelemetry/api';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import { version } from '../version.js';

/** The name of the instrumentation scope of every span and metric. */
export const scope = 'billpay';

/**
 * Creates instruments on first use. The global meter is bound when it is asked for, and clients are often created before the
 * SDK is registered.
 */
export function onFirstUse<T>(given: Meter | undefined, create: (meter: Meter) => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create(given ?? metrics.getMeter(scope, version));
    return created;
  };
}

/** Boundaries in seconds, from a fast response to the default limit of a whole call. */
export const secondsBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Records something; a failure is a line of OpenTelemetry's own diagnostic log and affects nothing else. */
export const recordSafely = (record: () => void): void =>
  callSafely(record, (error) => diag.error(`billpay: a span or metric was lost (${nameOfThrown(error)})`));

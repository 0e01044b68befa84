import { diag, type Meter, type MetricOptions, metrics } from '@opentelemetry/api';
import * as z from 'zod/mini';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import { instance } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf } from '../validation/parse-options.js';
import { version } from '../version.js';

/** The name of the instrumentation scope of every span and metric. */
export const scope = 'billpay';

export const globalMeter = (): Meter => metrics.getMeter(scope, version);

/**
 * Creates instruments on first use. The global meter is bound when it is looked up, and clients are often created before the
 * SDK is registered.
 */
export function onFirstUse<T>(given: Meter | undefined, create: (meter: Meter) => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create(given ?? globalMeter());
    return created;
  };
}

/** Options for `instrumentWebhooks`, `instrumentOrders` and `observeOrders`. */
export interface MeterOptions {
  /** Makes the metrics. Default: the meter `billpay` of the globally registered provider, looked up at first use. */
  readonly meter?: Meter | undefined;
}

/** A tracer or meter, of which nothing more is known here. What it lacks is found where it is used, and affects no call. */
export const made = <T>(by: 'tracer' | 'meter'): z.ZodMiniType<T> =>
  instance<T>((value) => typeof value === 'object' && value !== null, `must be a ${by} of OpenTelemetry`);

export const meterOptions = optionsOf({
  meter: z.optional(made<Meter>('meter')),
} satisfies OptionShape<MeterOptions>);

/** A histogram of seconds, with boundaries from a fast response to the default limit of a whole call. */
export const inSeconds = (description: string): MetricOptions => ({
  description,
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
});

/** Records something; a failure is a line of OpenTelemetry's own diagnostic log and affects nothing else. */
export const recordSafely = (record: () => void): void =>
  callSafely(record, (error) => diag.error(`billpay: a span or metric was lost (${nameOfThrown(error)})`));

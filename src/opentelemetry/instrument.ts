import { type Attributes, context, type Meter, type Span, type Tracer } from '@opentelemetry/api';
import * as z from 'zod/mini';
import type { AroundCall, AttemptRecord, CallInfo, OnAttempt } from '../options.js';
import { fn } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { addAttemptEvent, endCallSpan, startCallSpan } from './call-span.js';
import { createClientMetrics } from './client-metrics.js';
import { made, recordSafely } from './instruments.js';

/** Options for `instrument`. */
export interface InstrumentOptions {
  /** Makes the spans. Default: the tracer `billpay` of the globally registered provider. */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. Default: the meter `billpay` of the globally registered provider, looked up at the first call. */
  readonly meter?: Meter | undefined;
  /**
   * Further attributes for the span of a call, such as your order's id. Nothing of the kind is exported by default, because an
   * idempotency_key may be anything. What it throws is ignored.
   */
  readonly attributes?: ((call: CallInfo) => Attributes) | undefined;
  /** Your own `onAttempt`, called for each attempt as well. */
  readonly onAttempt?: OnAttempt | undefined;
  /** Your own `aroundCall`, run within the span of the call. */
  readonly aroundCall?: AroundCall | undefined;
}

/** The options of `new BillPay()` that carry the instrumentation. */
export interface Instrumentation {
  /** Makes the span of a call the active one, and records how the call ended. */
  readonly aroundCall: AroundCall;
  /** Records an attempt. */
  readonly onAttempt: OnAttempt;
}

const schema = optionsOf({
  tracer: z.optional(made<Tracer>('tracer')),
  meter: z.optional(made<Meter>('meter')),
  attributes: z.optional(fn<NonNullable<InstrumentOptions['attributes']>>(' that returns attributes')),
  onAttempt: z.optional(fn<OnAttempt>(' that takes one attempt record')),
  aroundCall: z.optional(fn<AroundCall>(' that takes a call and a function next')),
} satisfies OptionShape<InstrumentOptions>);

/**
 * Traces and measures a client with OpenTelemetry. Each call is a span named after its operation, the active parent of the spans that
 * instrumentation of fetch or node:http makes, with its attempts as events. The metrics are listed in docs/observability.md. Recipients,
 * tokens and keys are never exported, and nothing that happens here affects a call.
 *
 * It sets the options `aroundCall` and `onAttempt` of the client; pass your own to `instrument`. `onCall` stays free.
 *
 * @throws `ConfigurationError` that names the wrong option.
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { instrument } from 'billpay/opentelemetry';
 *
 * const billpay = new BillPay({ ...instrument(), onCall: ({ outcome }) => console.log(outcome) });
 * ```
 */
export function instrument(options: InstrumentOptions = {}): Instrumentation {
  const { tracer, meter, attributes, onAttempt, aroundCall } = parseOptions(schema, options, {
    owner: 'instrument',
  });
  const metrics = createClientMetrics(meter);

  return {
    aroundCall(call, next) {
      let span: Span | undefined;
      let spanContext = context.active();
      recordSafely(() => {
        let own: Attributes | undefined;
        recordSafely(() => {
          own = attributes?.(call);
        });
        ({ span, context: spanContext } = startCallSpan(tracer, call, own));
      });
      return context.with(spanContext, async () => {
        try {
          return aroundCall?.(call, next);
        } finally {
          // The call has started in the user's own context, or starts here: `next` starts it only once.
          next().then((record) => {
            recordSafely(() => metrics.ended(call, record));
            recordSafely(() => span && endCallSpan(span, record));
          });
        }
      });
    },
    onAttempt(record: AttemptRecord) {
      recordSafely(() => metrics.attempted(record));
      recordSafely(() => addAttemptEvent(record));
      return onAttempt?.(record);
    },
  };
}

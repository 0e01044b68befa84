import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { AroundCall, AttemptRecord, CallInfo, CallRecord, OnAttempt } from '../options.js';
import { fn, type OptionShape, optional, optionsOf, parseOptions } from '../validation/options.js';
import { version } from '../version.js';
import {
  attemptAttributes,
  callAttributes,
  inSeconds,
  names,
  onFirstUse,
  otelObject,
  outcomeAttributes,
  recordSafely,
  retryReason,
  scope,
} from './metrics.js';

/** Options for `instrument`. */
export interface InstrumentOptions {
  /** Makes the spans. Default: the tracer `billpay` of the globally registered provider. */
  readonly tracer?: Tracer | undefined;
  /** Makes the metrics. Default: the meter `billpay` of the globally registered provider, found at the first call. */
  readonly meter?: Meter | undefined;
  /**
   * Further attributes for the span of a call, such as your order's id. Nothing of the kind is exported by default, because an
   * idempotency_key may be anything. What it throws is ignored. Default: none.
   */
  readonly attributes?: ((call: CallInfo) => Attributes) | undefined;
  /** Your own `onAttempt`, called for each attempt as well. Default: none. */
  readonly onAttempt?: OnAttempt | undefined;
  /** Your own `aroundCall`, run within the span of the call. Default: none. */
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
  tracer: optional(otelObject<Tracer>('tracer')),
  meter: optional(otelObject<Meter>('meter')),
  attributes: optional(fn<NonNullable<InstrumentOptions['attributes']>>(' that returns attributes')),
  onAttempt: optional(fn<OnAttempt>(' that takes one attempt record')),
  aroundCall: optional(fn<AroundCall>(' that takes a call and a function next')),
} satisfies OptionShape<InstrumentOptions>);

/**
 * Traces and measures a client with OpenTelemetry. Each call is a span named after its operation, the active parent of the spans that
 * instrumentation of fetch or node:http makes, with its attempts as events. The metrics are listed in docs/operate.md. Recipients,
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
          return own;
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

function createClientMetrics(given: Meter | undefined) {
  const instruments = onFirstUse(given, (meter) => ({
    calls: meter.createCounter('billpay.client.calls', {
      description: 'Calls that have ended, by operation and outcome.',
      unit: '{call}',
    }),
    duration: meter.createHistogram(
      'billpay.client.call.duration',
      inSeconds('Duration of calls, attempts and waits together.'),
    ),
    unknownOutcomes: meter.createCounter('billpay.client.unknown_outcomes', {
      description: 'Purchases that ended without certainty whether they were charged.',
      unit: '{call}',
    }),
    attempts: meter.createCounter('billpay.client.attempts', {
      description: 'Requests that were sent.',
      unit: '{attempt}',
    }),
    retries: meter.createCounter('billpay.client.retries', {
      description: 'Attempts that were followed by another one, by reason.',
      unit: '{retry}',
    }),
    pacingWait: meter.createHistogram(
      'billpay.client.pacing.wait',
      inSeconds('Time that requests waited until the rate limits allowed them (option pacing).'),
    ),
  }));
  return {
    ended(call: CallInfo, record: CallRecord): void {
      const { calls, duration, unknownOutcomes } = instruments();
      const attributes = { ...callAttributes(call), ...outcomeAttributes(record) };
      calls.add(1, attributes);
      duration.record(record.durationMs / 1000, attributes);
      if (record.outcome === 'unknown') unknownOutcomes.add(1, attributes);
    },
    attempted(record: AttemptRecord): void {
      const { attempts, retries, pacingWait } = instruments();
      attempts.add(1, attemptAttributes(record));
      const operation = { [names.operation]: record.operation };
      if (record.willRetry) retries.add(1, { ...operation, [names.retryReason]: retryReason(record) });
      if (record.waitedMs !== undefined) pacingWait.record(record.waitedMs / 1000, operation);
    },
  };
}

/** Finds the span of a call from its attempts, also where another span has become the active one. */
const callSpanKey = createContextKey('billpay call span');

/** Starts the span of a call; the context is the one to run the call in. */
function startCallSpan(
  tracer: Tracer | undefined,
  call: CallInfo,
  own: Attributes | undefined,
): { readonly span: Span; readonly context: Context } {
  const parent = context.active();
  const span = (tracer ?? trace.getTracer(scope, version)).startSpan(
    call.operation,
    { kind: SpanKind.INTERNAL, attributes: { ...own, ...callAttributes(call) } },
    parent,
  );
  return { span, context: trace.setSpan(parent, span).setValue(callSpanKey, span) };
}

/** Ends the span of a call. The message of an error may quote the recipient, so only the error's class is recorded. */
function endCallSpan(span: Span, record: CallRecord): void {
  span.setAttributes(outcomeAttributes(record));
  if (record.attempts > 1) span.setAttribute(names.resendCount, record.attempts - 1);
  if (record.outcome !== 'success') {
    span.setStatus({ code: SpanStatusCode.ERROR, message: record.error?.name ?? 'error' });
  }
  span.end();
}

function addAttemptEvent(record: AttemptRecord): void {
  const span = context.active().getValue(callSpanKey);
  if (!isSpan(span)) return;
  const { attempt, durationMs, waitedMs, retryInMs } = record;
  span.addEvent('billpay.attempt', {
    ...attemptAttributes(record),
    [names.resendCount]: attempt - 1,
    [names.attemptDuration]: durationMs / 1000,
    ...(waitedMs !== undefined && { [names.pacingWait]: waitedMs / 1000 }),
    ...(retryInMs !== undefined && { [names.retryDelay]: retryInMs / 1000 }),
  });
}

const isSpan = (value: unknown): value is Span =>
  typeof value === 'object' && value !== null && 'addEvent' in value;

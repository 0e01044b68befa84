import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { AttemptRecord, CallInfo, CallRecord } from '../options.js';
import { version } from '../version.js';
import { attemptAttributes, callAttributes, names, outcomeAttributes } from './attributes.js';
import { scope } from './instruments.js';

/** Finds the span of a call from its attempts, also where another span has become the active one. */
const callSpanKey = createContextKey('billpay call span');

/** Starts the span of a call; the context is the one to run the call in. */
export function startCallSpan(
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
export function endCallSpan(span: Span, record: CallRecord): void {
  span.setAttributes(outcomeAttributes(record));
  if (record.attempts > 1) span.setAttribute(names.resendCount, record.attempts - 1);
  if (record.outcome !== 'success') {
    span.setStatus({ code: SpanStatusCode.ERROR, message: record.error?.name ?? 'error' });
  }
  span.end();
}

export function addAttemptEvent(record: AttemptRecord): void {
  const span = context.active().getValue(callSpanKey);
  if (isSpan(span)) span.addEvent('billpay.attempt', eventAttributes(record));
}

function eventAttributes(record: AttemptRecord): Attributes {
  const { attempt, durationMs, waitedMs, retryInMs } = record;
  return {
    ...attemptAttributes(record),
    [names.resendCount]: attempt - 1,
    [names.attemptDuration]: durationMs / 1000,
    ...(waitedMs !== undefined && { [names.turnWait]: waitedMs / 1000 }),
    ...(retryInMs !== undefined && { [names.retryDelay]: retryInMs / 1000 }),
  };
}

const isSpan = (value: unknown): value is Span =>
  typeof value === 'object' && value !== null && 'addEvent' in value;

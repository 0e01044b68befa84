import type { Meter } from '@opentelemetry/api';
import type { AttemptRecord, CallInfo, CallRecord } from '../options.js';
import { attemptAttributes, callAttributes, names, outcomeAttributes, retryReason } from './attributes.js';
import { inSeconds, onFirstUse } from './instruments.js';

export function createClientMetrics(given: Meter | undefined) {
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
    turnWait: meter.createHistogram(
      'billpay.client.turn.wait',
      inSeconds('Time that requests waited for their turn under the rate limits (option pacing).'),
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
      const { attempts, retries, turnWait } = instruments();
      attempts.add(1, attemptAttributes(record));
      const operation = { [names.operation]: record.operation };
      if (record.willRetry) retries.add(1, { ...operation, [names.retryReason]: retryReason(record) });
      if (record.waitedMs !== undefined) turnWait.record(record.waitedMs / 1000, operation);
    },
  };
}

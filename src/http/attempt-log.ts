import type { AttemptRecord } from '../options.js';

/** A caller's identifier with its middle hidden: `0803****567`. */
export function mask(recipient: string): string {
  return recipient.length < 8
    ? '*'.repeat(recipient.length)
    : `${recipient.slice(0, 4)}${'*'.repeat(recipient.length - 7)}${recipient.slice(-3)}`;
}

/** One readable line for an attempt. */
export function attemptLine(record: AttemptRecord): string {
  const { operation, attempt, method, path, status, code, durationMs, willRetry, retryInMs, error } = record;
  const end = [status, code, error].filter((part) => part !== undefined).join(' ');
  const next = willRetry ? `, again in ${retryInMs} ms` : '';
  return `billpay ${operation} attempt ${attempt}: ${method} ${path} -> ${end} in ${Math.round(durationMs)} ms${next}`;
}

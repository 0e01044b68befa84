import { field } from '../utils/field.js';

/**
 * The seconds that the service asks to wait: the `Retry-After` header (seconds or an HTTP date), else the body's
 * `retry_after_seconds`. Undefined where neither can be read: an unreadable value never prevents the retry.
 *
 * @param now - the current time in ms since the epoch, for dates.
 */
export function retryAfterSeconds(headers: Headers, json: unknown, now: number): number | undefined {
  return fromHeader(headers.get('retry-after'), now) ?? fromBody(field(json, 'retry_after_seconds'));
}

const decimal = /^\d+(\.\d+)?$/;
/** The three date forms of HTTP begin with the day's name; `Date.parse` alone would accept `-5` or `2026` as a date. */
const httpDate = /^(mon|tue|wed|thu|fri|sat|sun)/i;

/** HTTP's asctime form is in GMT but does not say so, and `Date.parse` would read it as local time. */
const zoneless = /:\d\d( \d{4})?$/;

function fromHeader(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (decimal.test(text)) return Number(text);
  if (!httpDate.test(text)) return undefined;
  const at = Date.parse(zoneless.test(text) ? `${text} GMT` : text);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}

function fromBody(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && decimal.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

import { field } from '../utils/field.js';

/**
 * How many seconds the service asks to wait: the `Retry-After` header (seconds or an HTTP date), else the body's
 * `retry_after_seconds`. Undefined where neither can be read: nonsense costs the service's timing, never the retry.
 *
 * @param now - ms since the epoch, to measure a date against.
 */
export function retryAfterSeconds(headers: Headers, json: unknown, now: number): number | undefined {
  return fromHeader(headers.get('retry-after'), now) ?? fromBody(field(json, 'retry_after_seconds'));
}

const decimal = /^\d+(\.\d+)?$/;
/** The three date forms of HTTP begin with the day's name; Date.parse alone would take `-5` or `2026` for a date. */
const httpDate = /^(mon|tue|wed|thu|fri|sat|sun)/i;

/** HTTP's asctime form is GMT without saying so, and Date.parse would take it for local time. */
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

import { assertOption } from '../../validation/options.js';

/** A length of time: milliseconds, or a number with its unit: `'250ms'`, `'90s'`, `'5m'`, `'6h'`, `'2d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A hundred years: with more, a clock soon comes to a time that has no date. */
const longestMs = 36_500 * 86_400_000;

/** Milliseconds of a duration, or undefined when it cannot be read as one. */
export function readDuration(duration: unknown): number | undefined {
  const ms = msOf(duration);
  return ms !== undefined && ms >= 0 && ms <= longestMs ? ms : undefined;
}

function msOf(duration: unknown): number | undefined {
  if (typeof duration === 'number') return duration;
  if (typeof duration !== 'string') return undefined;
  if (duration.trim() === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(duration.trim());
  const unit = unitMs[match?.[2] ?? ''];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

export const durationProblem =
  "must be a length of time from 0 to 100 years: milliseconds as a number, or '250ms', '90s', '5m', '6h', '2d'";

/** Milliseconds of a duration; `ConfigurationError` naming `option` when it is none. */
export function durationMs(option: string, duration: unknown): number {
  const ms = readDuration(duration);
  assertOption(ms !== undefined, option, durationProblem);
  return ms;
}

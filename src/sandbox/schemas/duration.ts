import * as z from 'zod/mini';
import { parseOptions } from '../../validation/options.js';
import { expects } from './fields.js';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof unitMs;

/** A length of time: milliseconds, or a number with its unit: `'250ms'`, `'90s'`, `'5m'`, `'6h'`, `'2d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A hundred years: with more, a clock soon comes to a time that has no date. */
const longestMs = 36_500 * 86_400_000;

export const durationProblem = expects(
  "must be a length of time from 0 to 100 years: milliseconds as a number, or '250ms', '90s', '5m', '6h', '2d'",
);

/** The milliseconds of a duration. */
export function msOf(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, number, unit] = /^(.*?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Number(number) * unitMs[unit as Unit];
}

/** A length of time. */
export const duration = (description: string) =>
  z
    .union(
      [
        z.number(durationProblem),
        z.templateLiteral([z.number(), z.enum(['ms', 's', 'm', 'h', 'd'])], durationProblem),
      ],
      durationProblem,
    )
    .check(
      z.refine((given) => msOf(given) >= 0 && msOf(given) <= longestMs, durationProblem),
      z.describe(description),
    );

const alone = z.object({ duration: duration('') });

/** Milliseconds of a duration that a method was given. */
export const checkedMs = (given: unknown): number =>
  msOf(parseOptions(alone, { duration: given }, { owner: 'the sandbox' }).duration);

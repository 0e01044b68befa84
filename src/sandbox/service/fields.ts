import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { assertOption, refuseUnknownOptions } from '../../validation/options.js';

/** Checks that several kinds of options share. */

export type Fields = Readonly<Record<string, unknown>>;

/** An options object with known names only. */
export function checkNames(option: string, given: unknown, known: readonly string[]): Fields {
  if (given === undefined) return {};
  assertOption(isRecord(given), option, 'must be an object of options');
  if (option === 'options') refuseUnknownOptions(given, known, 'the sandbox');
  else refuseUnknownOptions(given, known, option, `${option}.`);
  return given;
}

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** An amount of money, of at least 0. */
export function naira(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1e12) return value;
  throw new ConfigurationError(option, 'must be a number of NGN from 0 to 1,000,000,000,000');
}

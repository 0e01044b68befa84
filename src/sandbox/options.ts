import { ConfigurationError } from '../errors/configuration-error.js';
import { assertOption } from '../validation/options.js';
import type { SandboxClientOptions } from './service/accounts.js';
import type { SandboxCatalogue } from './service/catalogue.js';
import { readCatalogue } from './service/catalogue-options.js';
import { readClients } from './service/client-options.js';
import { type Duration, durationMs } from './service/duration.js';
import { checkNames, isRecord, naira } from './service/fields.js';
import { randomSeed } from './service/ids.js';
import { documentedRateLimits, type SandboxRateLimits } from './service/rate-limits.js';

/** Options for `createSandbox`. */
export interface SandboxOptions {
  /**
   * Its clients; the first is the default one. Default: `client_default` in good order, and one each for the documented
   * conditions: `client_unverified`, `client_suspended`, `client_allowlisted`, `client_empty`.
   */
  readonly clients?: readonly SandboxClientOptions[];
  /** Families and billers to sell instead of the built-in ones; a family that is left out keeps its built-in list. */
  readonly catalogue?: SandboxCatalogue;
  /** What each wallet starts with, in NGN (default 100,000). */
  readonly balance?: number;
  /** How long after its acceptance a purchase settles by itself, in ms; `'manual'`: by `settle` only (default 1000). */
  readonly settleAfter?: Duration | 'manual';
  /** `true` for the documented limits, or numbers of your own for some of them (default `false`: none). */
  readonly rateLimits?: boolean | SandboxRateLimits;
  /** `'manual'`: time stands still until `advance` (default `'real'`). */
  readonly clock?: 'real' | 'manual';
  /** The same seed gives the same keys, references, tokens and ids (default: a new one for each sandbox). */
  readonly seed?: string | number;
  /** How long a webhook receiver may take, in ms (default 10,000; service.md leaves it open). */
  readonly webhookTimeout?: Duration;
}

/** Options with their defaults in place. */
export interface ResolvedSandboxOptions {
  readonly clients: readonly SandboxClientOptions[];
  readonly catalogue: SandboxCatalogue;
  readonly balance: number;
  readonly settleAfter: number | 'manual';
  readonly rateLimits: Required<SandboxRateLimits> | undefined;
  readonly clock: 'real' | 'manual';
  readonly seed: string;
  readonly webhookTimeout: number;
}

const sandboxNames: readonly (keyof SandboxOptions)[] = [
  'clients',
  'catalogue',
  'balance',
  'settleAfter',
  'rateLimits',
  'clock',
  'seed',
  'webhookTimeout',
];

/** Checks what `createSandbox` was given; `ConfigurationError` names the first thing wrong. */
export function readOptions(options: unknown): ResolvedSandboxOptions {
  const given = checkNames('options', options, sandboxNames);
  const { settleAfter, clock, seed } = given;
  assertOption(
    clock === undefined || clock === 'real' || clock === 'manual',
    'clock',
    "must be 'real' or 'manual'",
  );
  return {
    clients: readClients(given['clients']),
    catalogue: readCatalogue(given['catalogue']),
    balance: given['balance'] === undefined ? 100_000 : naira('balance', given['balance']),
    settleAfter: settleAfter === 'manual' ? 'manual' : durationMs('settleAfter', settleAfter ?? 1000),
    rateLimits: readRateLimits(given['rateLimits']),
    clock: clock ?? 'real',
    seed: readSeed(seed),
    webhookTimeout: readTimeout(given['webhookTimeout']),
  };
}

function readTimeout(value: unknown): number {
  const ms = durationMs('webhookTimeout', value ?? 10_000);
  assertOption(ms !== 0, 'webhookTimeout', 'must be more than 0 ms');
  return ms;
}

function readSeed(seed: unknown): string {
  if (seed === undefined) return randomSeed();
  if (typeof seed === 'string' || (typeof seed === 'number' && Number.isFinite(seed))) return String(seed);
  throw new ConfigurationError('seed', 'must be a string or a finite number');
}

function readRateLimits(value: unknown): Required<SandboxRateLimits> | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return documentedRateLimits;
  assertOption(isRecord(value), 'rateLimits', 'must be true, false or an object such as { purchases: 5 }');
  const given = checkNames('rateLimits', value, Object.keys(documentedRateLimits));
  const limit = (name: keyof SandboxRateLimits): number | false => {
    const own = given[name];
    if (own === undefined) return documentedRateLimits[name];
    if (own === false) return false;
    if (typeof own === 'number' && Number.isInteger(own) && own >= 1) return own;
    throw new ConfigurationError(
      `rateLimits.${name}`,
      'must be a whole number of requests per 60 seconds, or false for no limit',
    );
  };
  return {
    ip: limit('ip'),
    apiKey: limit('apiKey'),
    client: limit('client'),
    endpoint: limit('endpoint'),
    purchases: limit('purchases'),
  };
}

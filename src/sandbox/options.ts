import { ConfigurationError } from '../errors/configuration-error.js';
import { isRecord } from '../utils/is-record.js';
import { assertOption, longestTimerMs } from '../validation/options.js';
import type { SandboxClientOptions } from './service/accounts.js';
import type { SandboxCatalogue } from './service/catalogue.js';
import { readCatalogue } from './service/catalogue-options.js';
import { readClients } from './service/client-options.js';
import { lastClockMs } from './service/clock.js';
import { type Duration, durationMs } from './service/duration.js';
import { checkNames, naira } from './service/fields.js';
import type { ReferenceSource } from './service/ids.js';
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
  /** `'manual'`: time stops until `advance` (default `'real'`). */
  readonly clock?: 'real' | 'manual';
  /**
   * Where a manual clock begins: a `Date`, ms since 1970 or an ISO 8601 text such as `'2026-01-31T09:30:00Z'` (default: the real
   * time). With `state`, the time of the file wins.
   */
  readonly startAt?: Date | number | string;
  /**
   * The same seed gives the same keys, secrets, names, tokens, references and ids, in the same order (default: a new seed for
   * each sandbox). For reproducible tests; with a lasting database, also set `references: 'unique'`.
   */
  readonly seed?: string | number;
  /**
   * `'unique'`: transaction references and delivery ids are new in every run, whatever the seed. `'seeded'`: the seed repeats
   * them (default `'seeded'`; with `state` always `'unique'`).
   */
  readonly references?: ReferenceSource;
  /**
   * A file that keeps everything over restarts (Node only): accounts, keys, wallets, sales, subscriptions, deliveries with their
   * retries, changed prices. What is in it wins over `clients`; what fell due meanwhile happens at the start, in order. Once a
   * request has its response, nothing of it is lost, whatever happens to the process. References and ids are always new
   * (default: everything is kept in memory only).
   */
  readonly state?: string;
  /** How long a webhook receiver may take, in ms (default 10,000; the service does not document its own limit). */
  readonly webhookTimeout?: Duration;
  /**
   * How many times a webhook is sent in all. The service documents seven delays and "seven attempts in total": 8 is one
   * attempt and a retry after each delay, 7 leaves out the last retry (default 8).
   */
  readonly webhookSends?: 7 | 8;
  /**
   * Host names that webhooks may go to over http, beside loopback ones, such as `['host.docker.internal', 'app']` in a
   * container network (default none).
   */
  readonly allowWebhookHosts?: readonly string[];
}

/** Options with their defaults in place. */
export interface ResolvedSandboxOptions {
  readonly clients: readonly SandboxClientOptions[];
  readonly catalogue: SandboxCatalogue;
  readonly balance: number;
  readonly settleAfter: number | 'manual';
  readonly rateLimits: Required<SandboxRateLimits> | undefined;
  readonly clock: 'real' | 'manual';
  /** ms since 1970; undefined where none was given. */
  readonly startAt: number | undefined;
  /** Undefined where none was given. */
  readonly seed: string | undefined;
  readonly state: string | undefined;
  readonly references: ReferenceSource;
  readonly webhookTimeout: number;
  readonly webhookSends: number;
  readonly allowWebhookHosts: ReadonlySet<string>;
}

/** The names of all options of `createSandbox`. */
export const sandboxNames: readonly (keyof SandboxOptions)[] = [
  'clients',
  'catalogue',
  'balance',
  'settleAfter',
  'rateLimits',
  'clock',
  'startAt',
  'seed',
  'references',
  'state',
  'webhookTimeout',
  'webhookSends',
  'allowWebhookHosts',
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
  const state = readState(given['state']);
  return {
    clients: readClients(given['clients']),
    catalogue: readCatalogue(given['catalogue']),
    balance: given['balance'] === undefined ? 100_000 : naira('balance', given['balance']),
    settleAfter: settleAfter === 'manual' ? 'manual' : durationMs('settleAfter', settleAfter ?? 1000),
    rateLimits: readRateLimits(given['rateLimits']),
    clock: clock ?? 'real',
    startAt: readStartAt(given['startAt'], clock),
    seed: readSeed(seed),
    state,
    references: readReferences(given['references'], state),
    webhookSends: readWebhookSends(given['webhookSends']),
    allowWebhookHosts: readWebhookHosts(given['allowWebhookHosts']),
    webhookTimeout: readTimeout(given['webhookTimeout']),
  };
}

function readStartAt(value: unknown, clock: unknown): number | undefined {
  if (value === undefined) return undefined;
  assertOption(clock === 'manual', 'startAt', "needs clock: 'manual': a real clock has the real time");
  const isTime = value instanceof Date || typeof value === 'number' || typeof value === 'string';
  const at = isTime ? new Date(value).getTime() : Number.NaN;
  assertOption(
    at >= 0 && at <= lastClockMs,
    'startAt',
    "must be a time from 1970 to 9000: a Date, milliseconds, or a text such as '2026-01-31T09:30:00Z'",
  );
  return at;
}

/** What an earlier run handed out must not be handed out again. */
function readReferences(value: unknown, state: string | undefined): ReferenceSource {
  if (value === undefined) return state === undefined ? 'seeded' : 'unique';
  assertOption(value === 'seeded' || value === 'unique', 'references', "must be 'seeded' or 'unique'");
  assertOption(
    value === 'unique' || state === undefined,
    'references',
    "cannot be 'seeded' together with state: an earlier run has used these references",
  );
  return value;
}

function readWebhookSends(value: unknown): number {
  if (value === undefined) return 8;
  assertOption(value === 7 || value === 8, 'webhookSends', 'must be 7 or 8');
  return value;
}

function readWebhookHosts(value: unknown): ReadonlySet<string> {
  const names: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [undefined];
  const hosts = names.filter(
    (name): name is string => typeof name === 'string' && /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(name),
  );
  assertOption(
    hosts.length === names.length,
    'allowWebhookHosts',
    "must be a list of host names without scheme and port, such as ['host.docker.internal', 'app']",
  );
  return new Set(hosts.map((host) => host.toLowerCase()));
}

function readTimeout(value: unknown): number {
  const ms = durationMs('webhookTimeout', value ?? 10_000);
  assertOption(
    ms > 0 && ms <= longestTimerMs,
    'webhookTimeout',
    "must be more than 0 ms, and at most '24d': no timer lasts longer",
  );
  return ms;
}

function readState(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  assertOption(
    typeof value === 'string' && value !== '',
    'state',
    "must be the path of a file, such as './sandbox.state'",
  );
  return value;
}

function readSeed(seed: unknown): string | undefined {
  if (seed === undefined) return undefined;
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

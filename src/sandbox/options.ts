import * as z from 'zod/mini';
import { isRecord } from '../utils/unknown.js';
import { assertOption, longestTimerMs, parseOptions } from '../validation/options.js';
import { lastClockMs } from './lab/clock.js';
import { catalogueSchema } from './schemas/catalogue-options.js';
import { clientsSchema } from './schemas/client-options.js';
import {
  allOptional,
  type Duration,
  duration,
  durationProblem,
  expects,
  type FieldShape,
  fieldsOf,
  listOf,
  msOf,
  naira,
  text,
  withoutUndefined,
  wordOf,
  yesNo,
} from './schemas/fields.js';
import { defaultCatalogue, type SandboxCatalogue } from './service/catalogue.js';
import { defaultClient, fixtureClients, type SandboxClientOptions } from './service/clients.js';
import type { ReferenceSource } from './service/ids.js';
import { documentedRateLimits, type SandboxRateLimits } from './service/rate-limits.js';

/** Options for `createSandbox`. */
export interface SandboxOptions {
  /** Its clients; the first is the default one (default: `client_default`, in good order). */
  readonly clients?: readonly SandboxClientOptions[];
  /**
   * Adds one client for each condition of an account: `client_unverified`, `client_suspended`, `client_allowlisted` (only from
   * 203.0.113.10), `client_empty` (default false).
   */
  readonly fixtures?: boolean;
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
   * A file that keeps everything over restarts (Node only): clients, keys, wallets, transactions, subscriptions, deliveries with their
   * retries, changed prices. What is in it wins over `clients`; what fell due meanwhile happens at the start, in order. Once a
   * request has its response, nothing of it is lost, whatever happens to the process (default: everything is kept in memory only).
   */
  readonly state?: string;
  /** How long a webhook receiver may take, in ms (default 10,000; the service does not document its own limit). */
  readonly webhookTimeout?: Duration;
  /**
   * Host names that webhooks may go to over http, beside loopback ones, such as `['host.docker.internal', 'app']` in a
   * container network (default none).
   */
  readonly allowWebhookHosts?: readonly string[];
}

/** Options with their defaults in place. */
export type ResolvedSandboxOptions = ReturnType<typeof readOptions>;

const limitProblem = expects('must be a whole number of requests per 60 seconds, or false for no limit');
const limit = (of: string) =>
  z
    .union(
      [z.int(limitProblem).check(z.minimum(1, limitProblem)), z.literal(false, limitProblem)],
      limitProblem,
    )
    .check(z.describe(`Requests per 60 seconds ${of}; false for no limit.`));

const limits = fieldsOf(
  allOptional({
    ip: limit('from an address'),
    apiKey: limit('with a key'),
    client: limit('of a client'),
    endpoint: limit('to an endpoint'),
    purchases: limit('that buy, of a client'),
  }) satisfies FieldShape<SandboxRateLimits>,
);

/** The limits of `rateLimits`, whose wrong field is named. */
const readLimits = (given: unknown) =>
  parseOptions(limits, given, { owner: 'rateLimits', path: 'rateLimits' });

const hosts = "must be a list of host names without scheme and port, such as ['host.docker.internal', 'app']";

const timeProblem = expects(
  "must be a time from 1970 to 9000: a Date, milliseconds, or a text such as '2026-01-31T09:30:00Z'",
);

function isTime(given: Date | number | string): boolean {
  const time = new Date(given).getTime();
  return time >= 0 && time <= lastClockMs;
}

/** Every option: what it takes, and what it does. A new option is added here and to the type; its default is applied by `readOptions`. */
export const sandboxFields = allOptional({
  clients: clientsSchema,
  fixtures: yesNo('Adds one client for each condition of an account.'),
  catalogue: catalogueSchema,
  balance: naira('What each wallet starts with, in NGN; default 100000.'),
  settleAfter: z
    .union([z.literal('manual'), duration('')], durationProblem)
    .check(z.describe("Settle purchases after 250ms, 3s, 5m, ..., or 'manual'; default 1s.")),
  rateLimits: z
    .union([z.boolean(), limits], expects('must be true, false or an object such as { purchases: 5 }'))
    .check(z.describe('Enforce the documented rate limits.')),
  clock: wordOf(['real', 'manual'], "'manual': time moves only on the page, in code or by a request."),
  startAt: z
    .union([z.string(), z.number()], timeProblem)
    .check(
      z.refine(isTime, timeProblem),
      z.describe('Where a manual clock begins: 2026-01-31T09:30:00Z, or ms since 1970.'),
    ),
  seed: z
    .union([z.string(), z.number()], expects('must be a string or a finite number'))
    .check(z.describe('Repeats keys, secrets, names and tokens.')),
  references: wordOf(['seeded', 'unique'], 'unique: references and delivery ids are new in every run.'),
  state: text('The file that keeps everything over restarts and crashes.'),
  webhookTimeout: duration('How long a webhook receiver may take; default 10s.'),
  allowWebhookHosts: listOf(
    z.string(expects(hosts)).check(z.regex(/^[\w.-]+$|^\[[\da-f:.]+\]$/i, expects(hosts))),
    hosts,
    'Hosts that webhooks may go to over http, beside loopback ones.',
  ),
}) satisfies FieldShape<SandboxOptions>;

const schema = fieldsOf(sandboxFields);

/** Checks what `createSandbox` was given; `ConfigurationError` names the first thing wrong. */
export function readOptions(options: unknown) {
  const given = isRecord(options) ? { ...options } : options;
  if (isRecord(given)) {
    // JSON has no dates, so that the schema has none.
    if (given['startAt'] instanceof Date) given['startAt'] = given['startAt'].getTime();
    if (isRecord(given['rateLimits'])) readLimits(given['rateLimits']);
  }
  const read = parseOptions(schema, given, { owner: 'the sandbox' });
  const { clock = 'real', state, seed, startAt, settleAfter = 1000, rateLimits = false } = read;
  const webhookTimeout = msOf(read.webhookTimeout ?? 10_000);
  assertOption(
    webhookTimeout > 0 && webhookTimeout <= longestTimerMs,
    'webhookTimeout',
    "must be more than 0 ms, and at most '24d': no timer lasts longer",
  );
  assertOption(
    startAt === undefined || clock === 'manual',
    'startAt',
    "needs clock: 'manual': a real clock has the real time",
  );
  // What an earlier run handed out must not be handed out again.
  assertOption(
    read.references !== 'seeded' || state === undefined,
    'references',
    "cannot be 'seeded' together with state: an earlier run has used these references",
  );
  const ownLimits = typeof rateLimits === 'object' ? withoutUndefined(rateLimits) : {};
  return {
    clients: [
      ...(read.clients?.map((client) => withoutUndefined(client)) ?? [defaultClient]),
      ...(read.fixtures ? fixtureClients : []),
    ],
    catalogue: { ...defaultCatalogue, ...withoutUndefined(read.catalogue ?? {}) },
    balance: read.balance ?? 100_000,
    settleAfter: settleAfter === 'manual' ? settleAfter : msOf(settleAfter),
    rateLimits: rateLimits === false ? undefined : { ...documentedRateLimits, ...ownLimits },
    clock,
    startAt: startAt === undefined ? undefined : new Date(startAt).getTime(),
    seed: seed === undefined ? undefined : String(seed),
    state,
    references: read.references ?? (state === undefined ? ('seeded' as const) : ('unique' as const)),
    allowWebhookHosts: new Set(read.allowWebhookHosts?.map((host) => host.toLowerCase())),
    webhookTimeout,
  };
}

import * as z from 'zod/mini';
import { isRecord } from '../utils/is-record.js';
import { assertOption, longestTimerMs } from '../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import { lastClockMs } from './lab/clock.js';
import type { ReferenceSource } from './lab/ids.js';
import { defaultCatalogue, type SandboxCatalogue } from './rules/catalogue.js';
import { defaultClients, type SandboxClientOptions } from './rules/clients.js';
import { documentedRateLimits, type SandboxRateLimits } from './rules/rate-limits.js';
import { catalogueSchema } from './schemas/catalogue-options.js';
import { clientsSchema } from './schemas/client-options.js';
import { type Duration, durationMs, durationProblem, readDuration } from './schemas/duration.js';
import {
  allOptional,
  duration,
  jsonSchemaOf,
  kind,
  naira,
  textList,
  withoutUndefined,
  wordOf,
} from './schemas/kinds.js';

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
   * A file that keeps everything over restarts (Node only): clients, keys, wallets, transactions, subscriptions, deliveries with their
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
export type ResolvedSandboxOptions = ReturnType<typeof readOptions>;

const limit = () =>
  kind<number | false>(
    (value) => value === false || (Number.isSafeInteger(value) && Number(value) >= 1),
    'must be a whole number of requests per 60 seconds, or false for no limit',
    {
      anyOf: [{ type: 'integer', minimum: 1 }, { const: false }],
      description: 'Requests per 60 seconds; false for no limit.',
    },
  );

const limits = optionsOf({
  ip: z._default(limit(), documentedRateLimits.ip),
  apiKey: z._default(limit(), documentedRateLimits.apiKey),
  client: z._default(limit(), documentedRateLimits.client),
  endpoint: z._default(limit(), documentedRateLimits.endpoint),
  purchases: z._default(limit(), documentedRateLimits.purchases),
} satisfies OptionShape<SandboxRateLimits>);

/** True, false or limits, which are checked where they are read. */
const rateLimits = kind<boolean | SandboxRateLimits>(
  (value) => typeof value === 'boolean' || isRecord(value),
  'must be true, false or an object such as { purchases: 5 }',
  {
    anyOf: [{ type: 'boolean' }, jsonSchemaOf(limits)],
    description: 'True for the documented limits; default false.',
  },
  { help: 'Enforce the documented rate limits' },
);

function readRateLimits(given: boolean | SandboxRateLimits): Required<SandboxRateLimits> | undefined {
  if (typeof given === 'boolean') return given ? documentedRateLimits : undefined;
  return parseOptions(limits, given, { owner: 'rateLimits', path: 'rateLimits' });
}

const hostName = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(value);

const hosts = "must be a list of host names without scheme and port, such as ['host.docker.internal', 'app']";

const timeOf = (value: unknown): number =>
  value instanceof Date || typeof value === 'number' || typeof value === 'string'
    ? new Date(value).getTime()
    : Number.NaN;

/**
 * Every option: what it takes, its words in the schema of the configuration file, and its flag. A new option is added here and to the type;
 * its default is applied by `readOptions`.
 */
export const sandboxFields = allOptional({
  clients: clientsSchema,
  catalogue: catalogueSchema,
  balance: naira('What each wallet starts with, in NGN; default 100000.', {
    value: 'NGN',
    read: (texts) => (/^\d+(\.\d{1,2})?$/.test(texts.at(-1) ?? '') ? Number(texts.at(-1)) : texts.at(-1)),
    problem: 'must be an amount of NGN such as 5000 or 99.50',
  }),
  settleAfter: kind<Duration | 'manual'>(
    (value) => value === 'manual' || readDuration(value) !== undefined,
    durationProblem,
    {
      type: ['string', 'number'],
      description:
        "How long until a purchase settles by itself, such as 250ms, 3s, 5m, or ms as a number; 'manual': by command only. Default 1s.",
    },
    {
      value: 'TIME',
      help: "Settle purchases after 250ms, 3s, 5m, ..., or 'manual' (default: 1s)",
      read: (texts) => readDuration(texts.at(-1)) ?? texts.at(-1),
      problem: 'must be a time such as 250ms, 3s or 5m, or manual',
    },
  ),
  rateLimits,
  clock: wordOf(['real', 'manual'], undefined, {
    value: 'KIND',
    help: "'manual': time moves only by the console page or POST /_sandbox/clock/advance",
    problem: 'must be real or manual',
  }),
  startAt: kind<Date | number | string>(
    (value) => timeOf(value) >= 0 && timeOf(value) <= lastClockMs,
    "must be a time from 1970 to 9000: a Date, milliseconds, or a text such as '2026-01-31T09:30:00Z'",
    {
      type: ['string', 'number'],
      description: 'Where a manual clock begins: 2026-01-31T09:30:00Z, or ms since 1970.',
    },
  ),
  seed: kind<string | number>(
    (value) => typeof value === 'string' || Number.isFinite(value),
    'must be a string or a finite number',
    { type: ['string', 'number'], description: 'Repeats keys, secrets, names and tokens.' },
    {
      value: 'TEXT',
      help: 'Repeat other keys, secrets and names than the default ones; references are always new',
    },
  ),
  references: wordOf(['seeded', 'unique'], 'unique: references and delivery ids are new in every run.'),
  state: kind<string>(
    (value) => typeof value === 'string' && value !== '',
    "must be the path of a file, such as './sandbox.state'",
    {
      type: 'string',
      minLength: 1,
      description: 'The file that keeps everything over restarts and crashes.',
    },
    { value: 'FILE' },
  ),
  webhookTimeout: duration('How long a webhook receiver may take; default 10s.'),
  webhookSends: kind<7 | 8>(
    (value) => value === 7 || value === 8,
    'must be 7 or 8',
    { enum: [7, 8], description: 'How often a webhook is sent in all: 7 or 8; default 8.' },
    { value: 'NUMBER', problem: 'must be 7 or 8' },
  ),
  allowWebhookHosts: textList(hosts, hostName, 'A host that webhooks may go to over http.', {
    name: 'allow-webhook-host',
    value: 'NAME',
    many: true,
    problem: 'must be a host name without scheme and port, such as app',
  }),
}) satisfies OptionShape<SandboxOptions>;

const schema = optionsOf(sandboxFields);

/** Checks what `createSandbox` was given; `ConfigurationError` names the first thing wrong. */
export function readOptions(options: unknown) {
  const given = parseOptions(schema, options, { owner: 'the sandbox' });
  const { clock = 'real', state, seed, startAt, settleAfter = 1000 } = given;
  const webhookTimeout = durationMs('webhookTimeout', given.webhookTimeout ?? 10_000);
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
    given.references !== 'seeded' || state === undefined,
    'references',
    "cannot be 'seeded' together with state: an earlier run has used these references",
  );
  return {
    clients: given.clients?.map((client) => withoutUndefined(client)) ?? defaultClients,
    catalogue: { ...defaultCatalogue, ...withoutUndefined(given.catalogue ?? {}) },
    balance: given.balance ?? 100_000,
    settleAfter: settleAfter === 'manual' ? settleAfter : durationMs('settleAfter', settleAfter),
    rateLimits: readRateLimits(given.rateLimits ?? false),
    clock,
    startAt: startAt === undefined ? undefined : timeOf(startAt),
    seed: seed === undefined ? undefined : String(seed),
    state,
    references: given.references ?? (state === undefined ? 'seeded' : 'unique'),
    webhookSends: given.webhookSends ?? 8,
    allowWebhookHosts: new Set(given.allowWebhookHosts?.map((host) => host.toLowerCase())),
    webhookTimeout,
  };
}

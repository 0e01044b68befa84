import { isLoopbackHost } from './contract/fields.js';
import { type KeyKind, keyPrefixes } from './contract/vocabulary.js';
import { refuseUnknownOptions } from './errors/check-options.js';
import { ConfigurationError } from './errors/configuration.js';
import { quietLogger } from './http/log.js';
import { createPacer, type Pacer } from './pacing/pacer.js';
import { type SharedPacing, sharedPacer } from './pacing/shared.js';

/** How much a client tells its logger. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Where log lines go: `console`, pino, winston or anything of this shape. */
export interface Logger {
  /** Attempts that succeeded. */
  debug(message: string, fields: object): void;
  /** Attempts that failed, whether or not they are repeated. */
  info(message: string, fields: object): void;
  /** Answers that differ from what is documented. */
  warn(message: string, fields: object): void;
  /** Callbacks of yours that threw. */
  error(message: string, fields: object): void;
}

/** What `onAttempt` is told after each attempt. */
export interface AttemptRecord {
  /** Such as `airtime.purchase`; `request` for `billpay.request()`. */
  readonly operation: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly method: string;
  /** Relative to the base address, without the query. */
  readonly path: string;
  /** The HTTP status; absent without an answer. */
  readonly status?: number;
  /** The answer's code. */
  readonly code?: string;
  /** How long it waited for its turn before it was sent, in ms; only with `pacing`. */
  readonly waitedMs?: number;
  /** How long the attempt took, reading the body included, in ms. */
  readonly durationMs: number;
  /** Whether the call goes on. */
  readonly willRetry: boolean;
  /** The wait before the next attempt, in ms. */
  readonly retryInMs?: number;
  /** The purchase's key. */
  readonly idempotencyKey?: string;
  /** The class of the error that this attempt ended in. */
  readonly error?: string;
}

/** What may be told to one call, over what the client was told. */
export interface CallOptions {
  /** Ends the call at once, waits included. A purchase that was under way is then unknown, not failed. */
  signal?: AbortSignal | undefined;
  /** ms for one attempt, reading the body included. Default 30,000. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default 120,000. */
  deadline?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Extra request headers. */
  headers?: Record<string, string> | undefined;
}

/** What a client may be told. */
export interface BillPayOptions {
  /** Secret (`sk_…`) or public (`pk_…`) key. Default: the environment's `BILLPAY_API_KEY`. */
  apiKey?: string | undefined;
  /** The account identifier issued at registration. Default: the environment's `BILLPAY_CLIENT_ID`. */
  clientId?: string | undefined;
  /** The base address with its version segment, such as `https://…/api/v1`. Default: the environment's `BILLPAY_BASE_URL`. */
  baseUrl?: string | undefined;
  /** ms for one attempt, reading the body included. Default 30,000. */
  timeout?: number | undefined;
  /** ms for the whole call, attempts and waits together. Default 120,000. */
  deadline?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Used instead of the global `fetch`, which is otherwise looked up at each call. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Extra headers for every request. */
  headers?: Record<string, string> | undefined;
  /** Default `console`. */
  logger?: Logger | undefined;
  /** Default `warn`: only what differs from the documents. `info` adds failed attempts, `debug` every attempt. */
  logLevel?: LogLevel | undefined;
  /** Called once after each attempt. One that throws never breaks a call. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /**
   * Lets calls wait their turn instead of bouncing off the rate limits. `true` for the documented limits; what `createPacer` gives, shared
   * by the clients of one key or address; or `{ purchases, requests }` limiters that many processes share. Default: off.
   */
  pacing?: boolean | Pacer | SharedPacing | undefined;
  /** Throw `UnexpectedResponseError` where an answer lacks or mistypes a documented field. Default false: log a warning. */
  strictResponses?: boolean | undefined;
  /** Allow http:// beyond loopback hosts. The key then travels in clear text. Default false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allow a secret key in a browser, where every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options after checks and defaults. */
export interface ResolvedOptions {
  readonly apiKey: string;
  readonly keyKind: KeyKind;
  readonly clientId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly deadline: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly onAttempt: ((record: AttemptRecord) => void) | undefined;
  readonly pacer: Pick<Pacer, 'join' | 'pause'> | undefined;
  readonly strictResponses: boolean;
}

/** One call's options after checks, the client's filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly deadline: number;
  readonly maxRetries: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the environment tells about where we run: read once a client, replaced in tests. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isBrowser: boolean;
}

const clientOptionNames: readonly (keyof BillPayOptions)[] = [
  'apiKey',
  'clientId',
  'baseUrl',
  'timeout',
  'deadline',
  'maxRetries',
  'fetch',
  'headers',
  'logger',
  'logLevel',
  'onAttempt',
  'pacing',
  'strictResponses',
  'allowInsecureHttp',
  'dangerouslyAllowBrowser',
];

const callOptionNames: readonly (keyof CallOptions)[] = [
  'signal',
  'timeout',
  'deadline',
  'maxRetries',
  'headers',
];

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

/** The longest time that timers of every runtime can hold: about 24.8 days. */
const maximumMs = 2_147_483_647;

const ownHeaders = ['authorization', 'content-type', 'content-length', 'host'];

/** A positive, finite number of ms, or the default. */
export function checkedMs(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new ConfigurationError(
      name,
      `must be a positive, finite number of milliseconds; got ${shown(value)}`,
    );
  }
  if (value > maximumMs) {
    throw new ConfigurationError(
      name,
      `must be at most ${maximumMs} ms, which is about 24 days; got ${value}`,
    );
  }
  return value;
}

const shown = (value: unknown): string =>
  typeof value === 'number' || value === null ? String(value) : `a value of type ${typeof value}`;

/** Checks what the constructor was given, fills in the environment and the defaults. */
export function resolveOptions(given: BillPayOptions, { env, isBrowser }: Surroundings): ResolvedOptions {
  refuseUnknownOptions(given, clientOptionNames, 'BillPay');
  const apiKey = checkedKey(given.apiKey ?? env['BILLPAY_API_KEY']);
  const keyKind = kindOf(apiKey);
  const allowBrowser = flag('dangerouslyAllowBrowser', given.dangerouslyAllowBrowser);
  if (isBrowser && keyKind === 'secret' && !allowBrowser) {
    throw new ConfigurationError(
      'apiKey',
      'is a secret key (sk_…), and in a browser every visitor can read it and empty the wallet; call from your backend, or use a public key (pk_…) for catalogues and validate calls. dangerouslyAllowBrowser: true overrides this',
    );
  }
  const clientId = checkedClientId(given.clientId ?? env['BILLPAY_CLIENT_ID']);
  const logger = checkedLogger(given.logger);
  const logLevel = checkedLogLevel(given.logLevel);
  return {
    apiKey,
    keyKind,
    clientId,
    baseUrl: checkedBaseUrl(
      given.baseUrl ?? env['BILLPAY_BASE_URL'],
      flag('allowInsecureHttp', given.allowInsecureHttp),
    ),
    timeout: checkedMs('timeout', given.timeout, 30_000),
    deadline: checkedMs('deadline', given.deadline, 120_000),
    maxRetries: checkedRetries(given.maxRetries, 4),
    fetch: checkedFunction('fetch', given.fetch, 'a function like the global fetch'),
    headers: checkedHeaders(given.headers),
    logger,
    logLevel,
    onAttempt: checkedFunction('onAttempt', given.onAttempt, 'a function that takes one attempt record'),
    pacer: checkedPacing(given.pacing, clientId, quietLogger(logger, logLevel)),
    strictResponses: flag('strictResponses', given.strictResponses),
  };
}

/** Checks one call's options and fills in the client's. */
export function resolveCallOptions(
  given: CallOptions | undefined,
  client: ResolvedOptions,
): ResolvedCallOptions {
  const { timeout, deadline, maxRetries, headers } = client;
  if (given === undefined) return { signal: undefined, timeout, deadline, maxRetries, headers };
  refuseUnknownOptions(given, callOptionNames, 'a call');
  return {
    signal: checkedSignal(given.signal),
    timeout: checkedMs('timeout', given.timeout, timeout),
    deadline: checkedMs('deadline', given.deadline, deadline),
    maxRetries: checkedRetries(given.maxRetries, maxRetries),
    headers: { ...headers, ...checkedHeaders(given.headers) },
  };
}

/** An AbortSignal, by what it can do: signals cross realms and polyfills. */
export function checkedSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (isSignal(signal)) return signal;
  throw new ConfigurationError(
    'signal',
    'must be an AbortSignal: pass controller.signal, not the controller',
  );
}

const isSignal = (value: unknown): value is AbortSignal =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'aborted') === 'boolean' &&
  typeof Reflect.get(value, 'addEventListener') === 'function';

const missing = (value: unknown): boolean => value === undefined || value === null || value === '';

function checkedKey(value: unknown): string {
  if (missing(value)) {
    throw new ConfigurationError(
      'apiKey',
      'is missing: give it to new BillPay({ apiKey }) or set BILLPAY_API_KEY',
    );
  }
  if (typeof value !== 'string') throw new ConfigurationError('apiKey', 'must be a string');
  if (/\s/.test(value)) {
    throw new ConfigurationError(
      'apiKey',
      'has a blank or a line break in it, often from copying or from a file’s last line; trim it (the key is not shown here)',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new ConfigurationError(
      'apiKey',
      'has a character in it that no key has; copy it again (the key is not shown here)',
    );
  }
  return value;
}

function kindOf(apiKey: string): KeyKind {
  if (apiKey.startsWith(keyPrefixes.secret) && apiKey.length > keyPrefixes.secret.length) return 'secret';
  if (apiKey.startsWith(keyPrefixes.public) && apiKey.length > keyPrefixes.public.length) return 'public';
  throw new ConfigurationError(
    'apiKey',
    'begins with neither sk_ (secret key) nor pk_ (public key); copy the whole key from the developer console (the key is not shown here)',
  );
}

function checkedClientId(value: unknown): string {
  if (missing(value)) {
    throw new ConfigurationError(
      'clientId',
      'is missing: give it to new BillPay({ clientId }) or set BILLPAY_CLIENT_ID',
    );
  }
  if (typeof value !== 'string') throw new ConfigurationError('clientId', 'must be a string');
  if (/\s/.test(value)) {
    throw new ConfigurationError('clientId', 'has a blank or a line break in it; trim it');
  }
  if (/^(sk|pk)_/.test(value)) {
    throw new ConfigurationError(
      'clientId',
      'looks like an API key; give the account identifier issued at registration',
    );
  }
  return value;
}

function checkedBaseUrl(value: unknown, allowInsecureHttp: boolean): string {
  const example = 'such as https://…/api/v1';
  if (missing(value)) {
    throw new ConfigurationError(
      'baseUrl',
      `is missing: give the base address to new BillPay({ baseUrl }) or set BILLPAY_BASE_URL, ${example}`,
    );
  }
  if (typeof value !== 'string') throw new ConfigurationError('baseUrl', `must be a string, ${example}`);
  if (!URL.canParse(value)) throw new ConfigurationError('baseUrl', `is not a full URL; give one ${example}`);
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigurationError('baseUrl', `must begin with https://, ${example}`);
  }
  if (url.username || url.password) {
    throw new ConfigurationError(
      'baseUrl',
      'must not hold a user name or password; the key goes into apiKey',
    );
  }
  if (url.search || url.hash) {
    throw new ConfigurationError(
      'baseUrl',
      'must not have a query or a fragment: remove what follows ? or #',
    );
  }
  if (!url.pathname.split('/').some((segment) => /^v\d+$/.test(segment))) {
    throw new ConfigurationError('baseUrl', `has no version segment: it ends in /api/v1, ${example}`);
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopbackHost(url.hostname)) {
    throw new ConfigurationError(
      'baseUrl',
      'is http:// beyond loopback, which sends the key in clear text; use https:// (allowInsecureHttp: true overrides this)',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function checkedRetries(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ConfigurationError('maxRetries', `must be a whole number of at least 0; got ${shown(value)}`);
}

function checkedHeaders(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigurationError(
      'headers',
      "must be an object of strings, such as { 'X-Request-Source': 'pos' }",
    );
  }
  const headers: Record<string, string> = {};
  const entries: [string, unknown][] = value instanceof Headers ? [...value] : Object.entries(value);
  for (const [name, text] of entries) {
    const lower = name.toLowerCase();
    if (ownHeaders.includes(lower)) {
      throw new ConfigurationError('headers', `must not hold ${name}: the client sets it itself`);
    }
    if (typeof text !== 'string' || !isHeader(lower, text)) {
      throw new ConfigurationError(
        'headers',
        `holds ${JSON.stringify(name)}, which is not a valid header; its value is not shown here`,
      );
    }
    headers[lower] = text;
  }
  return headers;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

function checkedPacing(
  pacing: BillPayOptions['pacing'],
  clientId: string,
  logger: Logger,
): ResolvedOptions['pacer'] {
  if (pacing === undefined || pacing === false) return undefined;
  if (pacing === true) return createPacer();
  if (has(pacing, 'join', 'pause')) return pacing;
  if (
    has(pacing, 'purchases', 'requests') &&
    has(pacing.purchases, 'consume') &&
    has(pacing.requests, 'consume')
  ) {
    return sharedPacer(pacing, `billpay:${clientId}`, () =>
      logger.warn('billpay: a shared limiter failed, and requests go on without it', {}),
    );
  }
  throw new ConfigurationError(
    'pacing',
    'must be true, what createPacer() gives, or { purchases, requests } limiters with a consume function',
  );
}

function has<N extends string>(value: unknown, ...names: N[]): value is Record<N, unknown> {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

function checkedLogger(value: Logger | undefined): Logger {
  if (value === undefined) return console;
  const needed = ['debug', 'info', 'warn', 'error'] as const;
  if (
    typeof value === 'object' &&
    value !== null &&
    needed.every((name) => typeof value[name] === 'function')
  ) {
    return value;
  }
  throw new ConfigurationError(
    'logger',
    'must be an object with the functions debug, info, warn and error, such as console',
  );
}

function checkedLogLevel(value: LogLevel | undefined): LogLevel {
  if (value === undefined) return 'warn';
  if (logLevels.includes(value)) return value;
  throw new ConfigurationError('logLevel', `must be one of ${logLevels.join(', ')}`);
}

function checkedFunction<F>(name: string, value: F | undefined, what: string): F | undefined {
  if (value === undefined || typeof value === 'function') return value;
  throw new ConfigurationError(name, `must be ${what}`);
}

function flag(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw new ConfigurationError(name, 'must be true or false');
}

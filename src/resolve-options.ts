import { isLoopbackHost } from './contract/field-rules.js';
import { type KeyKind, keyPrefixes } from './contract/vocabulary.js';
import { leveledLogger } from './http/attempt-log.js';
import type { AttemptRecord, BillPayOptions, CallOptions, Logger, LogLevel } from './options.js';
import { createPacer, type Pacer } from './pacing/pacer.js';
import { sharedPacer } from './pacing/shared-pacer.js';
import { assertOption, checkedFunction, longestTimerMs, refuseUnknownOptions } from './validation/options.js';

/** Options after checks and defaults. */
export interface ClientConfig {
  readonly apiKey: string;
  readonly keyKind: KeyKind;
  readonly clientId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly onAttempt: ((record: AttemptRecord) => void) | undefined;
  readonly pacer: Pick<Pacer, 'enqueue' | 'pause'> | undefined;
  readonly strictResponses: boolean;
}

/** One call's options after checks, the client's filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the environment tells about where we run: read once a client, replaced in tests. */
export interface RuntimeEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isBrowser: boolean;
}

const callOptionNames = [
  'signal',
  'timeout',
  'totalTimeout',
  'maxRetries',
  'headers',
] as const satisfies readonly (keyof CallOptions)[];

const clientOptionNames: readonly (keyof BillPayOptions)[] = [
  'apiKey',
  'clientId',
  'baseUrl',
  'timeout',
  'totalTimeout',
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

/** Checks what the constructor was given, fills in the environment and the defaults. */
export function resolveOptions(given: BillPayOptions, { env, isBrowser }: RuntimeEnvironment): ClientConfig {
  refuseUnknownOptions(given, clientOptionNames, 'BillPay');
  const { apiKey, keyKind } = checkedKey(given.apiKey ?? env['BILLPAY_API_KEY']);
  assertOption(
    flag('dangerouslyAllowBrowser', given.dangerouslyAllowBrowser) || !isBrowser || keyKind === 'public',
    'apiKey',
    'is a secret key (sk_…), and in a browser every visitor can read it and empty the wallet; call from your backend, or use a public key (pk_…). dangerouslyAllowBrowser: true overrides this',
  );
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
    totalTimeout: checkedMs('totalTimeout', given.totalTimeout, 120_000),
    maxRetries: checkedRetries(given.maxRetries, 4),
    fetch: checkedFunction('fetch', given.fetch, ' like the global fetch'),
    headers: checkedHeaders(given.headers),
    logger,
    logLevel,
    onAttempt: checkedFunction('onAttempt', given.onAttempt, ' that takes one attempt record'),
    pacer: checkedPacing(given.pacing, clientId, leveledLogger(logger, logLevel)),
    strictResponses: flag('strictResponses', given.strictResponses),
  };
}

/** Checks one call's options and fills in the client's. */
export function resolveCallOptions(
  given: CallOptions | undefined,
  client: ClientConfig,
): ResolvedCallOptions {
  const { timeout, totalTimeout, maxRetries, headers } = client;
  if (given === undefined) return { signal: undefined, timeout, totalTimeout, maxRetries, headers };
  refuseUnknownOptions(given, callOptionNames, 'a call');
  return {
    signal: checkedSignal(given.signal),
    timeout: checkedMs('timeout', given.timeout, timeout),
    totalTimeout: checkedMs('totalTimeout', given.totalTimeout, totalTimeout),
    maxRetries: checkedRetries(given.maxRetries, maxRetries),
    headers: { ...headers, ...checkedHeaders(given.headers) },
  };
}

const shown = (value: unknown): string =>
  typeof value === 'number' || value === null ? String(value) : `a value of type ${typeof value}`;

/** A positive, finite number of ms, or the default. */
export function checkedMs(option: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  assertOption(
    typeof value === 'number' && value > 0 && value <= longestTimerMs,
    option,
    `must be a number of milliseconds above 0, and at most ${longestTimerMs} (24 days); got ${shown(value)}`,
  );
  return value;
}

/** An AbortSignal, by what it can do: signals cross realms and polyfills. */
export function checkedSignal(signal: unknown): AbortSignal | undefined {
  assertOption(
    signal === undefined || isSignal(signal),
    'signal',
    'must be an AbortSignal: pass controller.signal, not the controller',
  );
  return signal;
}

const isSignal = (value: unknown): value is AbortSignal =>
  has(value, 'aborted', 'addEventListener') &&
  typeof value.aborted === 'boolean' &&
  typeof value.addEventListener === 'function';

/** Text from an option or the environment, which may hold an empty variable. */
function checkedText(option: string, variable: string, value: unknown): string {
  assertOption(
    value !== undefined && value !== null && value !== '',
    option,
    `is missing: give it to new BillPay({ ${option} }) or set ${variable}`,
  );
  assertOption(typeof value === 'string', option, 'must be a string');
  return value;
}

function checkedKey(value: unknown): Pick<ClientConfig, 'apiKey' | 'keyKind'> {
  const apiKey = checkedText('apiKey', 'BILLPAY_API_KEY', value);
  assertOption(
    /^[\x21-\x7e]+$/.test(apiKey),
    'apiKey',
    'has a blank, a line break or a character in it that no key has, often from copying or from a file’s last line; trim it, or copy it again (the key is not shown here)',
  );
  const keyKind = (['secret', 'public'] as const).find(
    (kind) => apiKey.startsWith(keyPrefixes[kind]) && apiKey.length > keyPrefixes[kind].length,
  );
  assertOption(
    keyKind !== undefined,
    'apiKey',
    'begins with neither sk_ (secret key) nor pk_ (public key); copy the whole key from the developer console (the key is not shown here)',
  );
  return { apiKey, keyKind };
}

function checkedClientId(value: unknown): string {
  const clientId = checkedText('clientId', 'BILLPAY_CLIENT_ID', value);
  assertOption(!/\s/.test(clientId), 'clientId', 'has a blank or a line break in it; trim it');
  assertOption(
    !/^(sk|pk)_/.test(clientId),
    'clientId',
    'looks like an API key; give the account identifier issued at registration',
  );
  return clientId;
}

function checkedBaseUrl(value: unknown, allowInsecureHttp: boolean): string {
  const text = checkedText('baseUrl', 'BILLPAY_BASE_URL', value);
  const check = (fits: boolean, problem: string) =>
    assertOption(fits, 'baseUrl', `${problem}, such as https://…/api/v1`);
  check(/^https?:/i.test(text) && URL.canParse(text), 'must be a full URL that begins with https://');
  const url = new URL(text);
  check(
    !(url.username || url.password || url.search || url.hash),
    'must be the address alone, without a user name, a password, a query or a fragment',
  );
  check(
    url.pathname.split('/').some((segment) => /^v\d+$/.test(segment)),
    'has no version segment: it ends in /api/v1',
  );
  check(
    url.protocol === 'https:' || allowInsecureHttp || isLoopbackHost(url.hostname),
    'is http:// beyond loopback, which sends the key in clear text (allowInsecureHttp: true overrides this); use https://',
  );
  return url.href.replace(/\/+$/, '');
}

function checkedRetries(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  assertOption(
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
    'maxRetries',
    `must be a whole number of at least 0; got ${shown(value)}`,
  );
  return value;
}

const ownHeaders = ['authorization', 'content-type', 'content-length', 'host'];

function checkedHeaders(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  assertOption(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    'headers',
    "must be an object of strings, such as { 'X-Request-Source': 'pos' }",
  );
  const headers: Record<string, string> = {};
  const entries: [string, unknown][] = value instanceof Headers ? [...value] : Object.entries(value);
  for (const [name, text] of entries) {
    const lower = name.toLowerCase();
    assertOption(!ownHeaders.includes(lower), 'headers', `must not hold ${name}: the client sets it itself`);
    assertOption(
      typeof text === 'string' && isHeader(lower, text),
      'headers',
      `holds ${JSON.stringify(name)}, which is not a valid header; its value is not shown here`,
    );
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
): ClientConfig['pacer'] {
  if (pacing === undefined || pacing === false) return undefined;
  if (pacing === true) return createPacer();
  if (has(pacing, 'enqueue', 'pause')) return pacing;
  assertOption(
    has(pacing, 'purchases', 'requests') &&
      has(pacing.purchases, 'consume') &&
      has(pacing.requests, 'consume'),
    'pacing',
    'must be true, what createPacer() gives, or { purchases, requests } limiters with a consume function',
  );
  return sharedPacer(pacing, `billpay:${clientId}`, () =>
    logger.warn('billpay: a shared limiter failed, and requests go on without it', {}),
  );
}

function has<N extends string>(value: unknown, ...names: N[]): value is Record<N, unknown> {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

const logNames = ['debug', 'info', 'warn', 'error'] as const;
const logLevels: readonly LogLevel[] = [...logNames, 'off'];

function checkedLogger(value: Logger | undefined): Logger {
  if (value === undefined) return console;
  assertOption(
    has(value, ...logNames) && logNames.every((name) => typeof value[name] === 'function'),
    'logger',
    `must be an object with the functions ${logNames.join(', ')}, such as console`,
  );
  return value;
}

function checkedLogLevel(value: LogLevel | undefined): LogLevel {
  if (value === undefined) return 'warn';
  assertOption(logLevels.includes(value), 'logLevel', `must be one of ${logLevels.join(', ')}`);
  return value;
}

function flag(option: string, value: unknown): boolean {
  if (value === undefined) return false;
  assertOption(typeof value === 'boolean', option, 'must be true or false');
  return value;
}

import type { KeyKind } from '../contract/vocabulary.js';
import { createRedactor, type Redactor } from '../errors/redact.js';
import type {
  AttemptRecord,
  BillPayOptions,
  CallOptions,
  CallRecord,
  HeadersOption,
  Logger,
  LogLevel,
  PurchaseOptions,
} from '../options.js';
import { createPacer, type Pacer } from '../pacing/pacer.js';
import { sharedPacer } from '../pacing/shared-pacer.js';
import { leveledLogger } from '../utils/logger.js';
import {
  checkedBaseUrl,
  checkedClientId,
  checkedHeaders,
  checkedKey,
  checkedLogger,
  checkedLogLevel,
  checkedRetries,
} from '../validation/client-options.js';
import {
  assertOption,
  checkedFlag,
  checkedFunction,
  checkedMs,
  checkedSignal,
  hasProperties,
  refuseMissingOptions,
  refuseUnknownOptions,
} from '../validation/options.js';
import { boundedTransport } from './bounded-transport.js';
import { kyTransport } from './ky-transport.js';
import type { Transport } from './transport.js';

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
  readonly transport: Transport;
  readonly headers: HeadersOption;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly onAttempt: ((record: AttemptRecord) => void) | undefined;
  readonly onCall: ((record: CallRecord) => void) | undefined;
  readonly aroundCall: BillPayOptions['aroundCall'];
  readonly pacer: Pick<Pacer, 'join' | 'pause'> | undefined;
  readonly retryDelay: ((attempt: number) => number) | undefined;
  readonly strictResponses: boolean;
  /** Knows the key, so that it is in nothing that is printed. */
  readonly redactor: Redactor;
  /** The warnings about responses that were given already: each is given once. */
  readonly warnings: Set<string>;
}

/** One call's options after checks, the client's filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  /** The client's and the call's; the later ones win. */
  readonly headers: readonly HeadersOption[];
  readonly resume: boolean;
}

/** Where this code runs: read once for each client, replaced in tests. */
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
  'transport',
  'headers',
  'logger',
  'logLevel',
  'onAttempt',
  'onCall',
  'aroundCall',
  'pacing',
  'retryDelay',
  'strictResponses',
  'allowInsecureHttp',
  'dangerouslyAllowBrowser',
];

/** Checks the options of the constructor and fills in the environment and the defaults. */
export function resolveOptions(given: BillPayOptions, { env, isBrowser }: RuntimeEnvironment): ClientConfig {
  refuseUnknownOptions(given, clientOptionNames, 'BillPay');
  const key = given.apiKey ?? env['BILLPAY_API_KEY'];
  const account = given.clientId ?? env['BILLPAY_CLIENT_ID'];
  const address = given.baseUrl ?? env['BILLPAY_BASE_URL'];
  refuseMissingOptions(
    [
      { option: 'apiKey', variable: 'BILLPAY_API_KEY', value: key },
      { option: 'clientId', variable: 'BILLPAY_CLIENT_ID', value: account },
      { option: 'baseUrl', variable: 'BILLPAY_BASE_URL', value: address },
    ],
    'new BillPay',
  );
  const { apiKey, keyKind } = checkedKey(key);
  assertOption(
    checkedFlag('dangerouslyAllowBrowser', given.dangerouslyAllowBrowser) ||
      !isBrowser ||
      keyKind === 'public',
    'apiKey',
    'is a secret key (sk_…), and in a browser every visitor can read it and empty the wallet: call from your backend, or use a public key (pk_…). dangerouslyAllowBrowser: true allows it',
  );
  const clientId = checkedClientId(account);
  const baseUrl = checkedBaseUrl(address, checkedFlag('allowInsecureHttp', given.allowInsecureHttp));
  const logger = checkedLogger(given.logger);
  const logLevel = checkedLogLevel(given.logLevel);
  return {
    apiKey,
    keyKind,
    clientId,
    baseUrl,
    timeout: checkedMs('timeout', given.timeout, 30_000),
    totalTimeout: checkedMs('totalTimeout', given.totalTimeout, 120_000),
    maxRetries: checkedRetries(given.maxRetries, 4),
    transport: checkedTransport(given, baseUrl),
    headers: checkedHeadersOption(given.headers),
    logger,
    logLevel,
    onAttempt: checkedFunction('onAttempt', given.onAttempt, ' that takes one attempt record'),
    onCall: checkedFunction('onCall', given.onCall, ' that takes one call record'),
    aroundCall: checkedFunction('aroundCall', given.aroundCall, ' that takes a call and a function next'),
    pacer: checkedPacing(given.pacing, clientId, leveledLogger(logger, logLevel)),
    retryDelay: checkedFunction('retryDelay', given.retryDelay, ' that returns a number of milliseconds'),
    strictResponses: checkedFlag('strictResponses', given.strictResponses),
    redactor: createRedactor([apiKey]),
    warnings: new Set(),
  };
}

/** Whether a call can resume an earlier one: only a purchase under the caller's own key can. */
export type Resumable = 'never' | 'without-key' | 'with-key';

/** Checks one call's options and fills in the client's. */
export function resolveCallOptions(
  given: PurchaseOptions | undefined,
  client: ClientConfig,
  resumable: Resumable = 'never',
): ResolvedCallOptions {
  const { timeout, totalTimeout, maxRetries } = client;
  if (given === undefined) {
    const headers = [client.headers];
    return { signal: undefined, timeout, totalTimeout, maxRetries, headers, resume: false };
  }
  refuseUnknownOptions(
    given,
    resumable === 'never' ? callOptionNames : [...callOptionNames, 'resume'],
    'a call',
  );
  const resume = checkedFlag('resume', given.resume);
  assertOption(
    !resume || resumable === 'with-key',
    'resume',
    'needs the idempotency_key of the earlier call: a new key would be a new purchase',
  );
  return {
    signal: checkedSignal(given.signal),
    timeout: checkedMs('timeout', given.timeout, timeout),
    totalTimeout: checkedMs('totalTimeout', given.totalTimeout, totalTimeout),
    maxRetries: checkedRetries(given.maxRetries, maxRetries),
    headers: [client.headers, checkedHeadersOption(given.headers)],
    resume,
  };
}

/** Headers are checked here; those that a function returns are checked before each attempt. */
const checkedHeadersOption = (headers: HeadersOption | undefined): HeadersOption =>
  typeof headers === 'function' ? headers : checkedHeaders(headers);

/** The caller's own transport, or the default one, over the caller's `fetch` if there is one. */
function checkedTransport(given: BillPayOptions, baseUrl: string): Transport {
  const transport = checkedFunction(
    'transport',
    given.transport,
    ', such as nodeTransport() of billpay/node',
  );
  const fetch = checkedFunction('fetch', given.fetch, ' like the global fetch');
  assertOption(
    transport === undefined || fetch === undefined,
    'transport',
    'does not go with fetch: a transport sends requests by itself; leave one of them out',
  );
  return transport ? boundedTransport(transport) : kyTransport({ baseUrl, fetch });
}

function checkedPacing(
  pacing: BillPayOptions['pacing'],
  clientId: string,
  logger: Logger,
): ClientConfig['pacer'] {
  if (pacing === undefined || pacing === false) return undefined;
  if (pacing === true) return createPacer();
  if (hasProperties(pacing, 'join', 'pause')) return pacing;
  assertOption(
    hasProperties(pacing, 'purchases', 'requests') &&
      hasProperties(pacing.purchases, 'consume') &&
      hasProperties(pacing.requests, 'consume'),
    'pacing',
    'must be true, the return value of createPacer(), or { purchases, requests } limiters with a consume function',
  );
  return sharedPacer(pacing, `billpay:${clientId}`, () =>
    logger.warn('billpay: a shared limiter failed; requests continue without it', {}),
  );
}

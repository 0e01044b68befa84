import { ConfigurationError } from './errors/base.js';
import type { ClientConfig, MissingCredentials } from './http/call.js';
import { kyTransport } from './http/ky.js';
import type { Transport } from './http/transport.js';
import type {
  AroundCall,
  AttemptInfo,
  HeadersOption,
  Logger,
  LogLevel,
  OnAttempt,
  OnCall,
} from './options.js';
import { createPacer, type Pacer } from './pacing/pacer.js';
import { type SharedLimiters, sharedPacer } from './pacing/shared-pacer.js';
import { createRedactor } from './redaction.js';
import { once } from './utils/functions.js';
import { leveledLogger, loggerMethods, logLevels, type PinoLike } from './utils/logger.js';
import { readProperty } from './utils/unknown.js';
import {
  flag,
  fn,
  instance,
  logger,
  ms,
  type OptionShape,
  oneOf,
  optional,
  optionsOf,
  parseOptions,
  unchecked,
  wholeNumber,
  withDefault,
} from './validation/options.js';
import { apiKey, baseUrl, clientId, headersOption, keyKindOf } from './validation/request-options.js';

/** Options for `new BillPay()`. */
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
  totalTimeout?: number | undefined;
  /** How often a failed attempt may be repeated. Default 4; 0 for never. */
  maxRetries?: number | undefined;
  /** Used instead of the global `fetch`. Not together with `transport`. Default: the global one, as it is at each attempt. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Sends the requests instead of the default transport, such as `nodeTransport()` of `billpay/node` or one of your own; see
   * `Transport`. Not together with `fetch`. Default: a transport over `fetch`.
   */
  transport?: Transport | undefined;
  /**
   * Extra headers for every request, or a function that is called before each attempt and returns them, such as
   * `() => ({ traceparent: currentTrace() })`. A function that throws ends the call with a `ConfigurationError` before that attempt is sent.
   * Default: none.
   */
  headers?: HeadersOption | undefined;
  /**
   * Receives log lines as `(message, fields)`. Default `console`; consola and winston fit as they are. A pino instance is recognised and
   * gets `(fields, message)`. For other loggers of that order there is `pinoLogger(logger)`, for winston with other levels
   * `winstonLogger(logger)`. What a logger throws never affects a call.
   */
  logger?: Logger | PinoLike | undefined;
  /**
   * Default `warn`: only responses that differ from what is documented (each difference once a client), and input that looks wrong.
   * `info` adds failed attempts, `debug` every attempt.
   */
  logLevel?: LogLevel | undefined;
  /** Called once after each attempt. What it throws is logged and never affects the call. Default: none. */
  onAttempt?: OnAttempt | undefined;
  /** Called once for each call, when it has ended. What it throws is logged and never affects the call. Default: none. */
  onCall?: OnCall | undefined;
  /**
   * Called around each call, for tracing: `next()` starts the call within the context that is current at that moment, and resolves to
   * how it ended, also where it failed. It observes only: it cannot change, repeat or swallow a call. If you do not call `next()`
   * synchronously, the call still starts. What is returned is ignored, what is thrown is logged, and the call and its record are read-only.
   * Default: none.
   *
   * @example
   * ```ts
   * new BillPay({
   *   aroundCall: ({ operation }, next) =>
   *     tracer.startActiveSpan(`billpay ${operation}`, async (span) => {
   *       const { outcome, attempts } = await next();
   *       span.setAttributes({ outcome, attempts }).end();
   *     }),
   * });
   * ```
   */
  aroundCall?: AroundCall | undefined;
  /**
   * Makes calls wait until the rate limits allow them instead of running into 429s: `true` for the documented limits; the return value of
   * `createPacer`, shared by the clients of one key or address; or `{ purchases, requests }`, limiters that many processes share. Default: off.
   */
  pacing?: boolean | Pacer | SharedLimiters | undefined;
  /**
   * Returns the longest wait before a retry, in ms: mainly for tests, such as `() => 0`. Default: 500, doubled with each attempt, up to
   * 8,000. The wait lies at random between half of it and the whole. A `Retry-After` of the service is still
   * respected. `attempt` is the number of the attempt that failed, 1 for the first.
   */
  retryDelay?: ((attempt: number) => number) | undefined;
  /** Allow http:// beyond loopback hosts. The key then travels in clear text. Default false. */
  allowInsecureHttp?: boolean | undefined;
  /** Allow a secret key in a browser, where every visitor can read it. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Where this code runs: read once for each client, replaced in tests. */
export interface RuntimeEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isBrowser: boolean;
}

/** Reads the environment in which a client is created. */
export function readEnvironment(): RuntimeEnvironment {
  const { process, document, window } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
    document?: unknown;
    window?: unknown;
  };
  return { env: process?.env ?? {}, isBrowser: window !== undefined && document !== undefined };
}

const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof readProperty(value, name) === 'function');

const isSharedLimiters = (value: unknown): value is SharedLimiters =>
  hasFunctions(readProperty(value, 'purchases'), 'consume') &&
  hasFunctions(readProperty(value, 'requests'), 'consume');

const schema = once(() =>
  optionsOf({
    // Checked once the environment has been read.
    apiKey: unchecked<unknown>(),
    clientId: unchecked<unknown>(),
    baseUrl: unchecked<unknown>(),
    timeout: withDefault(ms(), 30_000),
    totalTimeout: withDefault(ms(), 120_000),
    maxRetries: withDefault(wholeNumber(0), 4),
    fetch: optional(fn<typeof globalThis.fetch>(' like the global fetch')),
    transport: optional(fn<Transport>(', such as nodeTransport() of billpay/node')),
    headers: withDefault(headersOption<(attempt: AttemptInfo) => Record<string, string>>(), {}),
    logger: optional(logger<Logger>(loggerMethods)),
    logLevel: withDefault(oneOf(logLevels), 'warn'),
    onAttempt: optional(fn<OnAttempt>(' that takes one attempt record')),
    onCall: optional(fn<OnCall>(' that takes one call record')),
    aroundCall: optional(fn<AroundCall>(' that takes a call and a function next')),
    pacing: optional(
      instance<boolean | Pacer | SharedLimiters>(
        (value) =>
          typeof value === 'boolean' || hasFunctions(value, 'join', 'pause') || isSharedLimiters(value),
        'must be true, the return value of createPacer(), or { purchases, requests } limiters with a consume function',
      ),
    ),
    retryDelay: optional(fn<(attempt: number) => number>(' that returns a number of milliseconds')),
    allowInsecureHttp: withDefault(flag(), false),
    dangerouslyAllowBrowser: withDefault(flag(), false),
  } satisfies OptionShape<BillPayOptions>),
);

/**
 * Checks the options of the constructor and fills in the environment and the defaults. A wrong option throws at once. A missing key, account
 * or address is an error of the first call, so that a module can be loaded where there are no secrets, as in a build.
 */
export function resolveOptions(given: BillPayOptions, { env, isBrowser }: RuntimeEnvironment): ClientConfig {
  const options = parseOptions(schema(), given, { owner: 'BillPay' });
  const credentials = readCredentials(
    {
      apiKey: options.apiKey ?? env['BILLPAY_API_KEY'],
      clientId: options.clientId ?? env['BILLPAY_CLIENT_ID'],
      baseUrl: options.baseUrl ?? env['BILLPAY_BASE_URL'],
    },
    options.allowInsecureHttp,
  );
  const { logLevel, fetch, transport } = options;
  const redactor = createRedactor(credentials.apiKey === '' ? [] : [credentials.apiKey]);
  const logger = leveledLogger(options.logger ?? console, logLevel, redactor.known);
  if (credentials.keyKind === 'secret' && isBrowser && !options.dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'apiKey',
      'is a secret key (sk_…), and in a browser every visitor can read it and empty the wallet: call from your backend, or use a public key (pk_…). dangerouslyAllowBrowser: true allows it',
    );
  }
  if (transport && fetch) {
    throw new ConfigurationError(
      'transport',
      'does not go with fetch: a transport sends requests by itself; leave one of them out',
    );
  }
  const { missing } = credentials;
  if (missing)
    logger.warn(
      `billpay: ${missing.options.join(', ')}: ${missing.problem}; until then every call of this client is rejected`,
    );
  return {
    ...credentials,
    keyName: `the ${credentials.keyKind} key of ${options.apiKey === undefined ? variables.apiKey : 'the option apiKey'}`,
    timeout: options.timeout,
    totalTimeout: options.totalTimeout,
    maxRetries: options.maxRetries,
    transport: transport ?? kyTransport({ baseUrl: credentials.baseUrl, fetch }),
    headers: options.headers,
    logger,
    logLevel,
    onAttempt: options.onAttempt,
    onCall: options.onCall,
    aroundCall: options.aroundCall,
    pacer: pacerOf(options.pacing, credentials.clientId, logger),
    retryDelay: options.retryDelay,
    redactor,
    warnings: new Set(),
  };
}

type Credentials = Pick<ClientConfig, 'apiKey' | 'keyKind' | 'clientId' | 'baseUrl' | 'missing'>;

const variables = {
  apiKey: 'BILLPAY_API_KEY',
  clientId: 'BILLPAY_CLIENT_ID',
  baseUrl: 'BILLPAY_BASE_URL',
} as const;

/** Checks the credentials that are there; an empty one counts as missing. */
function readCredentials(
  given: Readonly<Record<keyof typeof variables, unknown>>,
  allowInsecureHttp: boolean,
): Credentials {
  const present = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
  const schema = optionsOf({
    apiKey: optional(apiKey()),
    clientId: optional(clientId()),
    baseUrl: optional(baseUrl(allowInsecureHttp)),
  });
  const checked = parseOptions(schema, present, { owner: 'BillPay' });
  return {
    apiKey: checked.apiKey ?? '',
    keyKind: keyKindOf(checked.apiKey ?? '') ?? 'secret',
    clientId: checked.clientId ?? '',
    baseUrl: checked.baseUrl ?? '',
    missing: missingCredentials(
      (['apiKey', 'clientId', 'baseUrl'] as const).filter((name) => checked[name] === undefined),
    ),
  };
}

function missingCredentials(names: readonly (keyof typeof variables)[]): MissingCredentials | undefined {
  const [first, ...others] = names;
  if (!first) return undefined;
  const environment = names.map((name) => variables[name]).join(', ');
  return {
    options: [first, ...others],
    problem:
      others.length === 0
        ? `is missing: pass it to new BillPay({ ${first} }), or set the environment variable ${environment}`
        : `are missing: pass them to new BillPay({ ${names.join(', ')} }), or set the environment variables ${environment}`,
  };
}

function pacerOf(pacing: BillPayOptions['pacing'], clientId: string, logger: Logger): ClientConfig['pacer'] {
  if (pacing === undefined || pacing === false) return undefined;
  if (pacing === true) return createPacer();
  if ('join' in pacing) return pacing;
  return sharedPacer(pacing, `billpay:${clientId}`, () =>
    logger.warn('billpay: a shared limiter failed; requests continue without it'),
  );
}

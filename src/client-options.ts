import * as z from 'zod/mini';
import { ConfigurationError } from './errors/configuration-error.js';
import type { ClientConfig, MissingCredentials } from './http/call.js';
import { kyTransport } from './http/ky-transport.js';
import type { Transport } from './http/transport.js';
import type { AttemptInfo, BillPayOptions, Logger } from './options.js';
import { createPacer, type Pacer } from './pacing/pacer.js';
import { type SharedPacing, sharedPacer } from './pacing/shared-pacer.js';
import { createRedactor } from './redaction/redactor.js';
import { leveledLogger, loggerMethods, logLevels } from './utils/logger.js';
import { readProperty } from './utils/read-property.js';
import { apiKey, baseUrl, clientId, keyKindOf } from './validation/credentials.js';
import {
  flag,
  fn,
  headersOption,
  instance,
  logger,
  ms,
  oneOf,
  wholeNumber,
} from './validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from './validation/parse-options.js';

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

const isSharedPacing = (value: unknown): value is SharedPacing =>
  hasFunctions(readProperty(value, 'purchases'), 'consume') &&
  hasFunctions(readProperty(value, 'requests'), 'consume');

const schema = optionsOf({
  // Checked once the environment has been read.
  apiKey: z.optional(z.unknown()),
  clientId: z.optional(z.unknown()),
  baseUrl: z.optional(z.unknown()),
  timeout: z._default(ms(), 30_000),
  totalTimeout: z._default(ms(), 120_000),
  maxRetries: z._default(wholeNumber(0), 4),
  fetch: z.optional(fn<typeof globalThis.fetch>(' like the global fetch')),
  transport: z.optional(fn<Transport>(', such as nodeTransport() of billpay/node')),
  headers: z._default(headersOption<(attempt: AttemptInfo) => Record<string, string>>(), {}),
  logger: z.optional(logger<Logger>(loggerMethods)),
  logLevel: z._default(oneOf(logLevels), 'warn'),
  onAttempt: z.optional(fn<NonNullable<BillPayOptions['onAttempt']>>(' that takes one attempt record')),
  onCall: z.optional(fn<NonNullable<BillPayOptions['onCall']>>(' that takes one call record')),
  aroundCall: z.optional(
    fn<NonNullable<BillPayOptions['aroundCall']>>(' that takes a call and a function next'),
  ),
  pacing: z.optional(
    instance<boolean | Pacer | SharedPacing>(
      (value) => typeof value === 'boolean' || hasFunctions(value, 'join', 'pause') || isSharedPacing(value),
      'must be true, the return value of createPacer(), or { purchases, requests } limiters with a consume function',
    ),
  ),
  retryDelay: z.optional(fn<(attempt: number) => number>(' that returns a number of milliseconds')),
  strictResponses: z._default(flag(), false),
  allowInsecureHttp: z._default(flag(), false),
  dangerouslyAllowBrowser: z._default(flag(), false),
} satisfies OptionShape<BillPayOptions>);

/**
 * Checks the options of the constructor and fills in the environment and the defaults. A wrong option throws at once. A missing key, account
 * or address is an error of the first call, so that a module can be loaded where there are no secrets, as in a build.
 */
export function resolveOptions(given: BillPayOptions, { env, isBrowser }: RuntimeEnvironment): ClientConfig {
  const options = parseOptions(schema, given, { owner: 'BillPay' });
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
  const logger = leveledLogger(options.logger ?? console, logLevel, redactor);
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
      {},
    );
  return {
    ...credentials,
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
    strictResponses: options.strictResponses,
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
    apiKey: z.optional(apiKey()),
    clientId: z.optional(clientId()),
    baseUrl: z.optional(baseUrl(allowInsecureHttp)),
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

function pacerOf(
  pacing: boolean | Pacer | SharedPacing | undefined,
  clientId: string,
  logger: Logger,
): ClientConfig['pacer'] {
  if (pacing === undefined || pacing === false) return undefined;
  if (pacing === true) return createPacer();
  if ('join' in pacing) return pacing;
  return sharedPacer(pacing, `billpay:${clientId}`, () =>
    logger.warn('billpay: a shared limiter failed; requests continue without it', {}),
  );
}

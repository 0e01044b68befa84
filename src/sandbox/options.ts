import { operations } from '../contract/operations.js';
import { keyPrefixes } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { assertOption } from '../validation/options.js';
import { type ClientConditions, defaultClients, type SandboxClientOptions } from './accounts.js';
import { defaultCatalogue, type SandboxCatalogue } from './catalogue.js';
import { type Duration, durationMs } from './duration.js';
import type { FaultOptions } from './faults.js';
import { randomSeed } from './ids.js';
import { documentedRateLimits, type SandboxRateLimits } from './rate-limits.js';
import { isOperationName } from './routes.js';

/** What a sandbox may be told. */
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
export interface Settings {
  readonly clients: readonly SandboxClientOptions[];
  readonly catalogue: SandboxCatalogue;
  readonly balance: number;
  readonly settleAfter: number | 'manual';
  readonly rateLimits: Required<SandboxRateLimits> | undefined;
  readonly clock: 'real' | 'manual';
  readonly seed: string;
  readonly webhookTimeout: number;
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An options object with known names only. */
export function checkNames(option: string, given: unknown, known: readonly string[]): Fields {
  if (given === undefined) return {};
  assertOption(isRecord(given), option, 'must be an object of options');
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      const where = option === 'options' ? name : `${option}.${name}`;
      throw new ConfigurationError(where, `is no such option; known are ${known.join(', ')}`);
    }
  }
  return given;
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
export function readOptions(options: unknown): Settings {
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

/** An amount of money, of at least 0. */
export function naira(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1e12) return value;
  throw new ConfigurationError(option, 'must be a number of NGN from 0 to 1,000,000,000,000');
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

const conditionNames: readonly (keyof ClientConditions)[] = ['verified', 'suspended', 'allowedIps'];
const clientNames: readonly (keyof SandboxClientOptions)[] = [
  'clientId',
  'balance',
  'secretKey',
  'publicKey',
  ...conditionNames,
];

function readClients(value: unknown): readonly SandboxClientOptions[] {
  if (value === undefined) return defaultClients;
  assertOption(
    Array.isArray(value) && value.length !== 0,
    'clients',
    "must be a list of at least one client: [{ clientId: 'my-shop' }]",
  );
  const clients = value.map((entry: unknown, at) => readClient(`clients[${at}]`, entry));
  const taken = new Set<string>();
  for (const [at, client] of clients.entries()) {
    for (const name of ['clientId', 'secretKey', 'publicKey'] as const) {
      const own = client[name];
      if (own === undefined) continue;
      assertOption(
        !taken.has(own),
        `clients[${at}].${name}`,
        'is taken by another client; give each its own',
      );
      taken.add(own);
    }
  }
  return clients;
}

function readClient(option: string, entry: unknown): SandboxClientOptions {
  const given = checkNames(option, entry ?? null, clientNames);
  const { clientId, balance, secretKey, publicKey } = given;
  assertOption(
    typeof clientId === 'string' && clientId.trim() !== '',
    `${option}.clientId`,
    "must be a non-empty string, such as 'my-shop'",
  );
  return {
    clientId,
    ...(balance === undefined ? {} : { balance: naira(`${option}.balance`, balance) }),
    ...(secretKey === undefined
      ? {}
      : { secretKey: readKey(`${option}.secretKey`, secretKey, keyPrefixes.secret) }),
    ...(publicKey === undefined
      ? {}
      : { publicKey: readKey(`${option}.publicKey`, publicKey, keyPrefixes.public) }),
    ...readConditions(option, given),
  };
}

function readKey(option: string, value: unknown, prefix: string): string {
  if (typeof value === 'string' && value.startsWith(prefix) && /^\S+$/.test(value)) return value;
  throw new ConfigurationError(option, `must be a string without blanks that begins with ${prefix}`);
}

/** Checks the conditions among a client's fields. */
function readConditions(option: string, given: Fields): ClientConditions {
  const flag = (name: 'verified' | 'suspended') => {
    const value = given[name];
    if (value === undefined) return {};
    assertOption(typeof value === 'boolean', `${option}.${name}`, 'must be true or false');
    return { [name]: value };
  };
  return { ...flag('verified'), ...flag('suspended'), ...readAddresses(option, given['allowedIps']) };
}

function readAddresses(option: string, value: unknown): Pick<ClientConditions, 'allowedIps'> {
  if (value === undefined) return {};
  const addresses: unknown[] = Array.isArray(value) ? value : [undefined];
  const allowedIps = addresses.filter((address): address is string => typeof address === 'string');
  if (allowedIps.length === addresses.length) return { allowedIps };
  throw new ConfigurationError(
    `${option}.allowedIps`,
    "must be a list of addresses, such as ['203.0.113.10']",
  );
}

/** Checks conditions given on their own. */
export const checkConditions = (conditions: unknown): ClientConditions =>
  readConditions('conditions', checkNames('conditions', conditions, conditionNames));

function readCatalogue(value: unknown): SandboxCatalogue {
  const given = checkNames('catalogue', value, ['data', 'tv', 'edu']);
  for (const [family, billers] of Object.entries(given)) {
    assertOption(isRecord(billers), `catalogue.${family}`, 'must be an object of biller to list of products');
    for (const [biller, products] of Object.entries(billers)) {
      const option = `catalogue.${family}.${biller}`;
      assertOption(Array.isArray(products), option, 'must be a list of products');
      for (const [at, entry] of products.entries()) checkProduct(`${option}[${at}]`, entry);
    }
  }
  return { ...defaultCatalogue, ...given };
}

function checkProduct(option: string, entry: unknown): void {
  const { product_code, name, amount } = isRecord(entry) ? entry : {};
  const isPrice = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0.01;
  assertOption(
    typeof product_code === 'string' && product_code !== '' && typeof name === 'string' && isPrice,
    option,
    "must be a product: { product_code: 'MTN-1GB', name: '1GB', amount: 300 }",
  );
}

const faultNames: readonly (keyof FaultOptions)[] = [
  'operation',
  'recipient',
  'clientId',
  'times',
  'when',
  'delay',
  'status',
  'code',
  'message',
  'body',
  'headers',
  'retryAfter',
  'connection',
  'cutBody',
];

const isWhole = (value: unknown, least: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isHeaders = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');

/** What each field of a fault must be. */
const faultRules: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  operation: [
    (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isOperationName) : isOperationName(value),
    `must be one of the calls, or a list of them: ${Object.keys(operations).join(', ')}`,
  ],
  recipient: [isText, 'must be a non-empty string'],
  clientId: [isText, 'must be a non-empty string'],
  times: [
    (value) => isWhole(value, 1) || value === Number.POSITIVE_INFINITY,
    'must be a whole number of at least 1, or Infinity',
  ],
  when: [(value) => value === 'before' || value === 'after', "must be 'before' or 'after' (the processing)"],
  status: [(value) => isWhole(value, 200) && Number(value) <= 599, 'must be an HTTP status from 200 to 599'],
  code: [isText, 'must be a non-empty string'],
  message: [(value) => typeof value === 'string', 'must be a string'],
  body: [
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
    'must be a string, or an object or list to send as JSON',
  ],
  headers: [isHeaders, 'must be an object of header names and string values'],
  retryAfter: [
    (value) => typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)),
    'must be a number of seconds, or the text of the header',
  ],
  connection: [(value) => value === 'close', "must be 'close'"],
  cutBody: [
    (value) => typeof value === 'boolean' || isWhole(value, 0),
    'must be true (cut halfway), or a whole number of bytes to let through',
  ],
};

/** Checks a fault. */
export function checkFault(fault: unknown): FaultOptions {
  const given = checkNames('fault', fault ?? null, faultNames);
  for (const [name, [isRight, problem]] of Object.entries(faultRules)) {
    const value = given[name];
    assertOption(value === undefined || isRight(value), `fault.${name}`, problem);
  }
  if (given['delay'] !== undefined) durationMs('fault.delay', given['delay']);
  const effects = ['delay', 'status', 'body', 'headers', 'retryAfter', 'connection', 'cutBody'];
  if (!effects.some((name) => given[name] !== undefined)) {
    throw new ConfigurationError('fault', `does nothing; give at least one of ${effects.join(', ')}`);
  }
  return given;
}

const corruptions = ['bad-signature', 'old-timestamp', 'duplicate', 'reordered'];

/** Checks what `corruptDeliveries` was given. */
export function checkCorruption(how: unknown, times: unknown): void {
  if (!corruptions.some((known) => known === how)) {
    throw new ConfigurationError('how', `must be one of ${corruptions.join(', ')}`);
  }
  assertOption(isWhole(times, 1), 'times', 'must be a whole number of at least 1');
}

/** What `listen` may be told. */
export interface ListenOptions {
  /** The port (default 0: any free one). */
  readonly port?: number;
  /** The address to listen on (default `127.0.0.1`; another than a loopback one needs `allowRemote`). */
  readonly host?: string;
  /** `true` lets other machines in: whoever reaches the port can use the sandbox and its console (default false). */
  readonly allowRemote?: boolean;
}

const loopbackAddress = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Checks what `listen` was given. */
export function readListenOptions(options: unknown): { readonly port: number; readonly host: string } {
  const given = checkNames('options', options, ['port', 'host', 'allowRemote']);
  const { port = 0, host = '127.0.0.1', allowRemote = false } = given;
  if (!isWhole(port, 0) || Number(port) > 65_535) {
    throw new ConfigurationError('port', 'must be a whole number from 0 (any free one) to 65535');
  }
  assertOption(
    typeof host === 'string' && host !== '',
    'host',
    "must be an address to listen on, such as '127.0.0.1'",
  );
  assertOption(typeof allowRemote === 'boolean', 'allowRemote', 'must be true or false');
  assertOption(
    loopbackAddress.test(host) || allowRemote,
    'host',
    'lets other machines in; use 127.0.0.1, or say so with { allowRemote: true }',
  );
  return { port: Number(port), host };
}

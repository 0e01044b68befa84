import { isLoopbackHost } from '../contract/field-rules.js';
import { type KeyKind, keyPrefixes } from '../contract/vocabulary.js';
import { type Logger, type LogLevel, loggerMethods, logLevels } from '../utils/logger.js';
import { adaptedLogger, isLogger, type PinoLike } from '../utils/logger-adapters.js';
import { assertOption, wholeNumber } from './options.js';

/** An API key and what it may call. The key itself is never shown in a message. */
export function checkedKey(value: unknown): { readonly apiKey: string; readonly keyKind: KeyKind } {
  assertOption(typeof value === 'string', 'apiKey', 'must be a string');
  assertOption(
    /^[\x21-\x7e]+$/.test(value),
    'apiKey',
    'contains whitespace, a line break or a character that no key contains, often from copying or from the end of a file: trim it, or copy it again (the key is not shown here)',
  );
  const keyKind = (['secret', 'public'] as const).find(
    (kind) => value.startsWith(keyPrefixes[kind]) && value.length > keyPrefixes[kind].length,
  );
  assertOption(
    keyKind !== undefined,
    'apiKey',
    'starts with neither sk_ (secret key) nor pk_ (public key): copy the whole key from the developer console (the key is not shown here)',
  );
  return { apiKey: value, keyKind };
}

/** The account identifier issued at registration. */
export function checkedClientId(value: unknown): string {
  assertOption(typeof value === 'string', 'clientId', 'must be a string');
  assertOption(!/\s/.test(value), 'clientId', 'contains whitespace or a line break: trim it');
  assertOption(
    !/^(sk|pk)_/.test(value),
    'clientId',
    'looks like an API key: pass the account identifier issued at registration',
  );
  return value;
}

/** The base address with its version segment, without a slash at its end. */
export function checkedBaseUrl(value: unknown, allowInsecureHttp: boolean): string {
  assertOption(typeof value === 'string', 'baseUrl', 'must be a string');
  const check = (condition: boolean, problem: string) =>
    assertOption(condition, 'baseUrl', `${problem}, such as https://…/api/v1`);
  check(/^https?:/i.test(value) && URL.canParse(value), 'must be a full URL that starts with https://');
  const url = new URL(value);
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
    'is http:// on a host that is not loopback, which would send the key in clear text (allowInsecureHttp: true allows it): use https://',
  );
  return url.href.replace(/\/+$/, '');
}

/** How often a failed attempt may be repeated. */
export const checkedRetries = (value: unknown, fallback: number): number =>
  value === undefined ? fallback : wholeNumber('maxRetries', value, 0);

/** Headers that only the client may set. */
const reservedHeaders = ['authorization', 'content-type', 'content-length', 'host'];

/** Extra request headers, their names in lower case. A value is never shown in a message. */
export function checkedHeaders(value: unknown): Record<string, string> {
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
    assertOption(
      !reservedHeaders.includes(lower),
      'headers',
      `must not contain ${name}: the client sets it itself`,
    );
    assertOption(
      typeof text === 'string' && isHeader(lower, text),
      'headers',
      `contains ${JSON.stringify(name)}, which is not a valid header (its value is not shown here)`,
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

/** The caller's logger, with the arguments of pino's turned round, or `console`. */
export function checkedLogger(value: Logger | PinoLike | undefined): Logger {
  if (value === undefined) return console;
  assertOption(
    isLogger(value),
    'logger',
    `must be an object with the functions ${loggerMethods.join(', ')}, such as console, or pinoLogger(logger), winstonLogger(logger)`,
  );
  return adaptedLogger(value);
}

/** A log level, or `warn`. */
export function checkedLogLevel(value: LogLevel | undefined): LogLevel {
  if (value === undefined) return 'warn';
  assertOption(logLevels.includes(value), 'logLevel', `must be one of ${logLevels.join(', ')}`);
  return value;
}

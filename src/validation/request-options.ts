import { isLoopbackHost } from '../contract/field-rules.js';
import { type KeyKind, keyPrefixes } from '../contract/vocabulary.js';
import { type OptionSchema, type Read, readBy, unexpected } from './options.js';

/** Which kind a key is; undefined for a text that is no key. */
export const keyKindOf = (apiKey: string): KeyKind | undefined =>
  (['secret', 'public'] as const).find(
    (kind) => apiKey.startsWith(keyPrefixes[kind]) && apiKey.length > keyPrefixes[kind].length,
  );

/** A text, as `read` makes it, or what it says is wrong with it. The text is never shown. */
const credential = (
  problemOf: (text: string) => string | undefined,
  read = (text: string) => text,
): OptionSchema<string> =>
  readBy((given) => {
    if (typeof given !== 'string') return { problem: unexpected('must be a string', given) };
    const problem = problemOf(given);
    return problem === undefined ? { value: read(given) } : { problem };
  });

/** An API key. */
export const apiKey = () =>
  credential((key) => {
    if (!/^[\x21-\x7e]+$/.test(key))
      return 'contains whitespace, a line break or a character that no key contains, often from copying or from the end of a file: trim it, or copy it again (the key is not shown here)';
    return keyKindOf(key)
      ? undefined
      : 'starts with neither sk_ (secret key) nor pk_ (public key): copy the whole key from the developer console (the key is not shown here)';
  });

/** The account identifier issued at registration. */
export const clientId = () =>
  credential((id) => {
    if (/\s/.test(id)) return 'contains whitespace or a line break: trim it';
    return /^(sk|pk)_/.test(id)
      ? 'looks like an API key: pass the account identifier issued at registration'
      : undefined;
  });

/** The base address, without a slash at its end. */
export const baseUrl = (allowInsecureHttp: boolean) =>
  credential(
    (address) => baseUrlProblem(address, allowInsecureHttp),
    (address) => new URL(address).href.replace(/\/+$/, ''),
  );

function baseUrlProblem(address: string, allowInsecureHttp: boolean): string | undefined {
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    return 'is not a full URL: give the address with its scheme, such as https://api.example.com/api/v1';
  const url = new URL(address);
  if (url.username || url.password || url.search || url.hash)
    return 'has a user name, a password, a query or a fragment: give the address alone, such as https://api.example.com/api/v1';
  const isLoopback = isLoopbackHost(url.hostname);
  if (!isLoopback && !url.pathname.split('/').some((segment) => /^v\d+$/.test(segment)))
    return `has no version segment, so every call would go to a path that does not exist: give the whole base address, such as https://${url.host}/api/v1 (only loopback hosts may do without)`;
  return url.protocol === 'https:' || allowInsecureHttp || isLoopback
    ? undefined
    : `sends the key in clear text over http://, which is allowed for loopback hosts only: use https://${url.host}, or set allowInsecureHttp: true where the network is your own`;
}

/** Headers that only the client may set. */
const reservedHeaders = ['authorization', 'content-type', 'content-length', 'host'];

const headersExpectation = "must be an object of strings, such as { 'X-Request-Source': 'pos' }";

/** Extra request headers, each read once, their names in lower case. A value is never shown in a message. */
export const headers = (): OptionSchema<Record<string, string>> =>
  readBy((given) => readHeaders(given, headersExpectation));

/** Headers, or a function that returns them before each attempt. */
// biome-ignore lint/complexity/noBannedTypes: as for `fn`.
export const headersOption = <F extends Function>(): OptionSchema<F | Record<string, string>> =>
  readBy<F | Record<string, string>>((given) =>
    typeof given === 'function'
      ? { value: given as F }
      : readHeaders(given, `${headersExpectation}, or a function that returns one`),
  );

function readHeaders(given: unknown, expectation: string): Read<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problem: unexpected(expectation, given) };
  const entries: [string, unknown][] = given instanceof Headers ? [...given] : Object.entries(given);
  for (const [name, content] of entries) {
    const problem = headerProblem(name, content);
    if (problem) return { problem };
  }
  return {
    value: Object.fromEntries(entries.map(([name, content]) => [name.toLowerCase(), String(content)])),
  };
}

function headerProblem(name: string, content: unknown): string | undefined {
  if (reservedHeaders.includes(name.toLowerCase()))
    return `must not contain ${name}: the client sets it itself`;
  return typeof content === 'string' && isHeader(name, content)
    ? undefined
    : `contains ${JSON.stringify(name)}, which is not a valid header (its value is not shown here)`;
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

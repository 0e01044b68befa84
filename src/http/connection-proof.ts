import { isError } from '../utils/is-error.js';
import { readProperty } from '../utils/read-property.js';

/** What the runtime had when this package was loaded. */
interface OwnFetch {
  readonly fetch: unknown;
  readonly dispatchers: readonly unknown[];
}

/** Where the `fetch` of Node finds its dispatcher, which `setGlobalDispatcher` of the package undici replaces. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

/** The dispatchers and their `dispatch`, which an application may replace, too. */
const dispatchersNow = (): unknown[] =>
  dispatcherKeys.flatMap((key) => {
    const dispatcher: unknown = Reflect.get(globalThis, key);
    return [dispatcher, readProperty(dispatcher, 'dispatch')];
  });

function lookAtRuntime(): OwnFetch {
  // Node makes its dispatcher when one of the classes of `fetch` is first used. An import of node:http does that too, so one that is there
  // already is no sign of an application's own.
  const { fetch, Headers: used } = globalThis;
  return { fetch, dispatchers: typeof used === 'function' ? dispatchersNow() : [] };
}

/** Shared by all copies of this package in a process: the first one saw the runtime before the application could change it. */
const ownKey = Symbol.for('billpay.ownFetch');

const own: OwnFetch = Reflect.get(globalThis, ownKey) ?? lookAtRuntime();
Reflect.set(globalThis, ownKey, own);

/**
 * Whether a failure of this function tells what became of the request: it is the `fetch` that was global when this package was loaded,
 * and no other dispatcher has been set since. Everything else is in doubt: a function that has replaced the
 * global `fetch` (instrumentation, a framework's cache, a mock) may have sent the request and failed afterwards, and a dispatcher may send
 * requests again. So may the `fetch` of Deno, which resends a request whose connection closed.
 */
export const isOwnFetch = (fetch: unknown): boolean =>
  fetch === own.fetch &&
  !('Deno' in globalThis) &&
  dispatchersNow().every((part, at) => part === own.dispatchers[at]);

/** Bun, Deno and workerd name the version of Node's `fetch` for the sake of compatibility, and have one of their own. */
const isOtherRuntime =
  'Bun' in globalThis ||
  'Deno' in globalThis ||
  readProperty(Reflect.get(globalThis, 'navigator'), 'userAgent') === 'Cloudflare-Workers';

/** Node names the version of its `fetch`. In a context of its own, such as that of a Jest test, it shows its dispatcher to nobody. */
const isUndici =
  !isOtherRuntime &&
  (readProperty(readProperty(Reflect.get(globalThis, 'process'), 'versions'), 'undici') !== undefined ||
    dispatcherKeys.some((key) => Reflect.get(globalThis, key) !== undefined));

/** Whether a function sends a POST again by itself after a 421, unless its body is a stream: the `fetch` of Node does. */
export const repeatsAfter421 = (fetch: unknown): boolean => isUndici && fetch === own.fetch;

const maxDepth = 6;

/**
 * Whether an error of the runtime's own `fetch` or of node:http proves that no connection was made, so that no byte of the
 * request can have arrived. Only what can happen before the first byte of a request counts; a reset, a broken pipe or an
 * unknown error may have carried it, and so may a TLS alert, which a middlebox can send after the handshake. (workerd reports a
 * refused connection like one that broke, so there every lost connection is in doubt.)
 *
 * Errors of a caller's own `fetch` prove nothing, whatever they look like: the request may have been sent before the part that failed.
 */
export const provesNoConnection = (error: unknown): boolean => showsNoConnection(error, maxDepth);

function showsNoConnection(error: unknown, depth: number): boolean {
  if (depth === 0 || !isError(error)) return false;
  if (isConnectFailure(error)) return true;
  const errors = readProperty(error, 'errors');
  // Several addresses were tried: each of them must have failed to connect.
  return Array.isArray(errors)
    ? errors.length > 0 && errors.every((one) => showsNoConnection(one, depth - 1))
    : showsNoConnection(readProperty(error, 'cause'), depth - 1);
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Certificates that were refused. They are checked at the end of the handshake, before the first byte of a request is sent. */
const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function isConnectFailure(error: Error): boolean {
  const code = readProperty(error, 'code');
  const syscall = readProperty(error, 'syscall');
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    (typeof code === 'string' && (connectCodes.has(code) || certificateCodes.has(code)))
  );
}

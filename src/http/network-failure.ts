import { isError } from '../errors/is-error.js';

/**
 * Where a transport that sees its socket writes on its errors whether any byte of the request may have left. By name,
 * because the ESM and CommonJS copies of this package may meet.
 */
export const leftKey: unique symbol = Symbol.for('billpay.mayHaveLeft');

/** What such a transport says; undefined where none has spoken. */
function mayHaveLeft(error: unknown): boolean | undefined {
  for (let at = error, depth = 0; isError(at) && depth < 6; at = at.cause, depth++) {
    const left: unknown = Reflect.get(at, leftKey);
    if (typeof left === 'boolean') return left;
  }
  return undefined;
}

/** Whether a transport that saw its socket says that no byte of the request left. */
export const wasUnsent = (error: unknown): boolean => mayHaveLeft(error) === false;

/**
 * Whether a transport's error proves that no connection came to be, so that no byte of the request can have arrived.
 * Only certain signs count; a reset, a broken pipe or an unknown error may have carried the request. (workerd says the same of
 * a refused connection and of one that broke, so there every lost connection is in doubt.)
 */
export function neverConnected(error: unknown): boolean {
  const left = mayHaveLeft(error);
  return left === undefined ? showsNoConnection(error) : !left;
}

function showsNoConnection(error: unknown): boolean {
  for (let at = error, depth = 0; isError(at) && depth < 6; at = at.cause, depth++) {
    if (isConnectFailure(at)) return true;
    const errors: unknown = Reflect.get(at, 'errors');
    if (Array.isArray(errors)) return errors.length > 0 && errors.every(showsNoConnection);
  }
  return false;
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

/** Refused certificates and failed handshakes: TLS ends before the first byte of a request. */
const handshakeCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_SSL_NO_PROTOCOLS_AVAILABLE',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Deno gives no code; its HTTP stack names the stage that failed, and this one ends before a request is begun. */
const connectStage = /\bclient error \(Connect\)/;

function isConnectFailure(error: Error): boolean {
  const code: unknown = Reflect.get(error, 'code');
  const syscall: unknown = Reflect.get(error, 'syscall');
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    (typeof code === 'string' && (connectCodes.has(code) || handshakeCodes.has(code))) ||
    connectStage.test(error.message)
  );
}

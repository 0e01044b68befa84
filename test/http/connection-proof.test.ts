import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { provesNoConnection } from '../../src/http/connection-proof.js';

const systemError = (fields: object, message = 'it broke') => Object.assign(new Error(message), fields);
const wrapped = (cause: unknown) => new TypeError('fetch failed', { cause });
const nested = (cause: unknown, levels: number): unknown =>
  levels === 0 ? cause : nested(new Error('outer', { cause }), levels - 1);

describe('provesNoConnection is certain of', () => {
  it.each([
    'ECONNREFUSED',
    'ConnectionRefused',
    'FailedToOpenSocket',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EAI_FAIL',
    'EAI_NODATA',
    'UND_ERR_CONNECT_TIMEOUT',
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
  ])('%s, bare and as a cause', (code) => {
    expect(provesNoConnection(systemError({ code }))).toBe(true);
    expect(provesNoConnection(wrapped(systemError({ code })))).toBe(true);
  });

  it.each([
    ['connect', 'ETIMEDOUT'],
    ['connect', 'EHOSTUNREACH'],
    ['connect', 'ENETUNREACH'],
    ['getaddrinfo', 'EBUSY'],
  ])('a failed %s with %s', (syscall, code) => {
    expect(provesNoConnection(wrapped(systemError({ syscall, code })))).toBe(true);
  });

  it('an aggregate of which every address was refused', () => {
    const refused = systemError({ code: 'ECONNREFUSED', syscall: 'connect' });
    expect(provesNoConnection(wrapped(new AggregateError([refused, refused])))).toBe(true);
    expect(provesNoConnection(new AggregateError([wrapped(refused)]))).toBe(true);
  });

  it('an error of another realm, as a test runner brings them', () => {
    const foreign = (code: string) => runInNewContext(code);
    expect(provesNoConnection(foreign("Object.assign(new Error('x'), { code: 'ECONNREFUSED' })"))).toBe(true);
    const nestedOne = "new TypeError('x', { cause: Object.assign(new Error('y'), { code: 'ENOTFOUND' }) })";
    expect(provesNoConnection(foreign(nestedOne))).toBe(true);
    const refused = "Object.assign(new Error('y'), { code: 'ECONNREFUSED' })";
    expect(provesNoConnection(foreign(`new AggregateError([${refused}, ${refused}])`))).toBe(true);
    expect(provesNoConnection(foreign(`new AggregateError([${refused}, new Error('reset')])`))).toBe(false);
  });

  it('a sign five causes deep, but looks no deeper', () => {
    const refused = systemError({ code: 'ECONNREFUSED' });
    expect(provesNoConnection(nested(refused, 5))).toBe(true);
    expect(provesNoConnection(nested(refused, 6))).toBe(false);
  });
});

describe('provesNoConnection doubts', () => {
  it.each<[string, unknown]>([
    ['a reset', wrapped(systemError({ code: 'ECONNRESET', syscall: 'read' }))],
    ['a broken pipe', wrapped(systemError({ code: 'EPIPE', syscall: 'write' }))],
    ['the other side closing', wrapped(systemError({ code: 'UND_ERR_SOCKET' }, 'other side closed'))],
    ['a response that is not HTTP', wrapped(systemError({ code: 'HPE_INVALID_CONSTANT' }))],
    ['a time-out after connecting', systemError({ code: 'ETIMEDOUT', syscall: 'read' })],
    [
      'a TLS alert, which may come after the handshake',
      systemError({ code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE' }),
    ],
    [
      'bytes that are no TLS, which may come after the handshake',
      systemError({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
    ],
    ['an unknown error', new TypeError('fetch failed')],
    ['a plain object', { code: 'ECONNREFUSED' }],
    ['an empty aggregate', new AggregateError([])],
    [
      'an aggregate of which one address may have carried the request',
      new AggregateError([systemError({ code: 'ECONNREFUSED' }), systemError({ code: 'ECONNRESET' })]),
    ],
  ])('%s', (_, error) => {
    expect(provesNoConnection(error)).toBe(false);
  });

  it('a chain of causes that bites its own tail', () => {
    const error = new Error('round');
    error.cause = error;
    expect(provesNoConnection(error)).toBe(false);
  });

  it.each(['code', 'syscall', 'message', 'cause', 'errors', Symbol.toStringTag])(
    'an error whose %s cannot be read',
    (name) => {
      const error = Object.defineProperty(new Error('x'), name, {
        get() {
          throw new Error('a getter');
        },
      });
      expect(provesNoConnection(error)).toBe(false);
      expect(provesNoConnection(wrapped(error))).toBe(false);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import { hmacHex } from '../../src/webhooks/hmac.js';
import {
  isKnownEvent,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from '../../src/webhooks/index.js';
import { vectors } from './vectors.js';

const secret = 'whsec_test_4f9c1d7e8b2a';
const now = new Date('2026-01-31T09:30:00Z');
const body = vectors[0]!.body;

/** Good options with some replaced, wrong ones too: as JavaScript callers may hand them over. */
const given = (over: { readonly [name: string]: unknown } = {}): VerifyWebhookOptions => {
  const headers = signWebhook({ body, secret, timestamp: now, deliveryId: 'd-1' });
  return Object.assign({ body, headers, secret, now }, over);
};

function failure(run: () => unknown): WebhookVerificationError {
  try {
    run();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('it verified');
}

const expectRefused = (
  options: VerifyWebhookOptions,
  reason: WebhookVerificationReason,
  message: RegExp,
): void => {
  const error = failure(() => verifyWebhook(options));
  expect(error.reason).toBe(reason);
  expect(error.message).toMatch(message);
  expect(error).toMatchObject({ name: 'WebhookVerificationError', code: 'WEBHOOK_VERIFICATION' });
  expect(`${error.message}${JSON.stringify(error)}`).not.toContain('4f9c1d7e');
};

describe('the returned event', () => {
  it('is the body plus the delivery id', () => {
    const event = verifyWebhook(given());
    expect(event).toEqual({ ...JSON.parse(body), delivery_id: 'd-1' });
    expect(isKnownEvent(event)).toBe(true);
  });

  it('is an unknown event, unchanged', () => {
    const other = '{"event":"wallet.low","data":{"reference":"W-1","left":3},"delivery_id":"not signed for"}';
    const event = verifyWebhook(
      given({ body: other, headers: signWebhook({ body: other, secret, timestamp: now }) }),
    );
    expect(isKnownEvent(event)).toBe(false);
    expect(event.data).toEqual({ reference: 'W-1', left: 3 });
    expect(event.delivery_id).toMatch(/^[\da-f-]{36}$/);
  });
});

describe('bodies', () => {
  const bytes = new TextEncoder().encode(body);
  const within = new Uint8Array(bytes.length + 8);
  within.set(bytes, 4);
  it.each<[string, VerifyWebhookOptions['body'] | DataView]>([
    ['text', body],
    ['a Uint8Array', bytes],
    ['a part of a larger buffer', within.subarray(4, 4 + bytes.length)],
    ['an ArrayBuffer', bytes.buffer],
    ['a Buffer', Buffer.from(body)],
    ['a DataView', new DataView(within.buffer, 4, bytes.length)],
  ])('may be %s', (_, form) => {
    expect(verifyWebhook(given({ body: form })).data.reference).toBe('TXN-20260131-0001');
  });

  it.each<[string, unknown, RegExp]>([
    ['a parsed object', JSON.parse(body), /has been parsed.*Express: .*Fastify: .*Next: .*Nest: /],
    ['a list', [], /has been parsed/],
    ['undefined', undefined, /the body is undefined: pass the raw body.*Express/],
    ['null', null, /the body is null/],
  ])('may not be %s', (_, form, message) => {
    expectRefused(given({ body: form }), 'body_already_parsed', message);
  });
});

describe('headers', () => {
  const signed = signWebhook({ body, secret, timestamp: now, deliveryId: 'd-1' });
  const mapped = (change: (name: string) => string) =>
    Object.fromEntries(Object.entries(signed).map(([name, value]) => [change(name), value]));
  const mixed = (name: string) => name.replace(/[aeiou]/g, (letter) => letter.toUpperCase());

  it.each<[string, VerifyWebhookOptions['headers']]>([
    ['a Headers', new Headers(signed)],
    ['a plain object', signed],
    ["Node's lower case", mapped((name) => name.toLowerCase())],
    ['upper case', mapped((name) => name.toUpperCase())],
    ['mixed case', mapped(mixed)],
    ['lists of one', Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))],
    ['pairs', Object.entries(signed)],
    ['the object of a request without a prototype', Object.assign(Object.create(null), signed)],
  ])('may be %s', (_, headers) => {
    expect(verifyWebhook(given({ headers })).delivery_id).toBe('d-1');
  });

  it.each(['X-Service-Signature', 'X-Service-Timestamp'])('must hold %s', (name) => {
    for (const value of [undefined, '', [], [1], 7, null]) {
      expectRefused(
        given({ headers: { ...signed, [name]: value } as never }),
        'missing_header',
        new RegExp(name),
      );
    }
    expectRefused(given({ headers: [] }), 'missing_header', /X-Service-Signature/);
    expectRefused(given({ headers: undefined }), 'missing_header', /X-Service-Signature/);
  });

  it('may not hold two signatures, or one in two halves', () => {
    const whole = signed['X-Service-Signature'];
    const halves = [whole.slice(0, 32), whole.slice(32)];
    const others = Object.entries(signed).filter(([name]) => name !== 'X-Service-Signature');
    for (const headers of [
      { ...signed, 'X-Service-Signature': [whole, whole] },
      { ...signed, 'X-Service-Signature': halves },
      [...others, ...halves.map((half) => ['X-Service-Signature', half] as const)],
    ]) {
      expectRefused(given({ headers }), 'malformed_signature', /64 hex digits/);
    }
  });

  it('may hold no other form of a timestamp or of a signature', () => {
    for (const stamp of ['yes', '-1', '1.5', '1e9', ' 1', '1769851800000', 'Sat, 31 Jan 2026 09:30:00 GMT']) {
      const headers = { ...signed, 'X-Service-Timestamp': stamp };
      expectRefused(given({ headers }), 'malformed_timestamp', /Unix seconds/);
    }
    for (const signature of [
      'abc',
      'z'.repeat(64),
      'a'.repeat(63),
      'a'.repeat(65),
      `sha256=${'a'.repeat(64)}`,
    ]) {
      const headers = { ...signed, 'X-Service-Signature': signature };
      expectRefused(given({ headers }), 'malformed_signature', /64 hex digits/);
    }
  });

  it('may omit the event header, but must not name another event', () => {
    const { 'X-Service-Event': _, ...without } = signed;
    expect(verifyWebhook(given({ headers: without })).event).toBe('transaction.completed');
    const other = { ...signed, 'X-Service-Event': 'transaction.failed' };
    expectRefused(given({ headers: other }), 'event_header_mismatch', /X-Service-Event differs/);
  });
});

describe('the signature', () => {
  it('must belong to one of the secrets', () => {
    const other = 'whsec_another_4f9c1d7e8b2a';
    expect(verifyWebhook(given({ secret: [other, secret] })).delivery_id).toBe('d-1');
    expect(verifyWebhook(given({ secret: [secret, other] })).delivery_id).toBe('d-1');
    expectRefused(given({ secret: other }), 'signature_mismatch', /no secret matches.*raw body/);
    expectRefused(
      given({ secret: [other, 'whsec_third_4f9c1d7e8b2a'] }),
      'signature_mismatch',
      /no secret matches/,
    );
  });

  it('covers the timestamp and every character of the body', () => {
    const headers = {
      ...given().headers,
      'X-Service-Timestamp': '1769851799',
    };
    expectRefused(given({ headers }), 'signature_mismatch', /no secret matches/);
    expectRefused(given({ body: body.replace('500', '501') }), 'signature_mismatch', /no secret matches/);
  });

  it('must be over a body that is a delivery', () => {
    const of = (text: string | Uint8Array) =>
      given({
        body: text,
        headers: signWebhook({ body: text, secret, timestamp: now, event: 'transaction.completed' }),
      });
    expectRefused(of('{"event":'), 'body_not_json', /not JSON/);
    expectRefused(of(''), 'body_not_json', /not JSON/);
    expectRefused(of(new Uint8Array([0x22, 0xff, 0x22])), 'body_not_json', /not JSON/);
    for (const text of [
      ...['null', '[]', '{"event":"transaction.completed"}', '{"data":{"reference":"T"}}'],
      '{"event":"transaction.completed","data":{"reference":""}}',
      '{"event":"transaction.completed","data":{"reference":7}}',
      '{"event":"","data":{"reference":"T"}}',
    ]) {
      expectRefused(of(text), 'body_incomplete', /has no `event` or no `data.reference`/);
    }
  });
});

describe('the secret', () => {
  it.each<[unknown, WebhookVerificationReason, RegExp]>([
    ['sk_live_1', 'secret_is_api_key', /is an API key: pass the whsec_ secret/],
    ['', 'secret_malformed', /is empty: .*BILLPAY_WEBHOOK_SECRET/],
    [undefined, 'secret_malformed', /is undefined: .*environment variable BILLPAY_WEBHOOK_SECRET/],
    [null, 'secret_malformed', /is null: .*BILLPAY_WEBHOOK_SECRET/],
    [7, 'secret_malformed', /is not a string/],
    [[], 'secret_malformed', /list of webhook secrets is empty/],
    ['undefined', 'secret_malformed', /is the text "undefined".*converted to text: .*BILLPAY_WEBHOOK_SECRET/],
    ['null', 'secret_malformed', /is the text "null".*converted to text/],
    ['x', 'secret_malformed', /does not begin with whsec_/],
    ['WHSEC_aaaaaaaaaaaaaaaa', 'secret_malformed', /does not begin with whsec_/],
    ['whsec_', 'secret_malformed', /has only 0 characters after whsec_, and at least 16 are needed: /],
    [`whsec_${'a'.repeat(15)}`, 'secret_malformed', /has only 15 characters after whsec_/],
    ['whsec_aaaaaaaaaa aaaaaaaaaa', 'secret_malformed', /contains whitespace or a line break/],
    ['whsec_aaaaaaaaaaaaaaaaaaa\n', 'secret_malformed', /contains whitespace or a line break/],
    [['', undefined], 'secret_malformed', /is empty/],
    [['', 'x', secret], 'secret_malformed', /does not begin with whsec_/],
    [['x', secret], 'secret_malformed', /does not begin with whsec_/],
    [[secret, 'sk_1'], 'secret_is_api_key', /is an API key/],
  ])('may not be %j', (wrong, reason, message) => {
    expectRefused(given({ secret: wrong }), reason, message);
  });

  it('is refused although the delivery is signed with it', () => {
    for (const guessed of ['undefined', 'null', 'x', 'whsec_', `whsec_${'a'.repeat(15)}`]) {
      const headers = {
        'X-Service-Signature': hmacHex(guessed, '1769851800', body),
        'X-Service-Timestamp': '1769851800',
      };
      expectRefused(given({ headers, secret: guessed }), 'secret_malformed', /the webhook secret/);
      expectRefused(given({ headers, secret: [secret, guessed] }), 'secret_malformed', /the webhook secret/);
    }
  });

  it('may be missing where there is another one, as the old one is after a rotation', () => {
    for (const missing of ['', undefined]) {
      expect(verifyWebhook(given({ secret: [secret, missing] })).delivery_id).toBe('d-1');
      expect(verifyWebhook(given({ secret: [missing, secret] })).delivery_id).toBe('d-1');
      const headers = {
        'X-Service-Signature': hmacHex('', '1769851800', body),
        'X-Service-Timestamp': '1769851800',
      };
      expectRefused(given({ headers, secret: [secret, missing] }), 'signature_mismatch', /no secret matches/);
    }
  });

  it('may be as short as 16 characters after the prefix', () => {
    const shortest = `whsec_${'a'.repeat(16)}`;
    const headers = signWebhook({ body, secret: shortest, timestamp: now });
    expect(verifyWebhook(given({ headers, secret: shortest })).event).toBe('transaction.completed');
  });

  it('is not in the message that refuses it', () => {
    for (const wrong of ['hunter2hunter2', 'whsec_hunter2', 'whsec_hunter2 hunter2hunter2', 'sk_hunter2']) {
      expect(failure(() => verifyWebhook(given({ secret: wrong }))).message).not.toContain('hunter2');
    }
  });
});

describe('the tolerance', () => {
  const aged = (seconds: number, tolerance?: number) =>
    given({
      now: new Date(now.getTime() + seconds * 1000),
      ...(tolerance === undefined ? {} : { tolerance }),
    });

  it('lets an age pass that is not more', () => {
    const ages = [[0], [114_960], [-300], [0, 0], [0.9, 0], [60, 60], [-60, 60], [-300, 1000]] as const;
    for (const [seconds, tolerance] of ages) {
      expect(verifyWebhook(aged(seconds, tolerance)).delivery_id).toBe('d-1');
    }
  });

  it.each<[number, number | undefined, RegExp]>([
    [114_961, undefined, /114961 s ago, which is more than the tolerance of 114960 s/],
    [-301, undefined, /signed 301 s in the future, which is more than the 300 s allowed/],
    [1, 0, /1 s ago, which is more than the tolerance of 0 s/],
    [-1, 0, /1 s in the future, which is more than the 0 s allowed/],
    [-61, 60, /signed 61 s in the future, which is more than the 60 s/],
    [-301, 1000, /301 s in the future/],
  ])('stops %d s of age with a tolerance of %s', (seconds, tolerance, message) => {
    expectRefused(aged(seconds, tolerance), 'timestamp_outside_tolerance', message);
  });

  it('is checked against the system clock by default', () => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    const options = { body, headers: signWebhook({ body, secret }), secret, tolerance: 5 };
    expect(verifyWebhook(options).event).toBe('transaction.completed');
    vi.setSystemTime(now.getTime() + 5_000);
    expect(verifyWebhook(options).event).toBe('transaction.completed');
    vi.setSystemTime(now.getTime() + 6_000);
    expectRefused(options, 'timestamp_outside_tolerance', /signed 6 s ago/);
    vi.useRealTimers();
  });
});

describe('wrong options', () => {
  it.each<[string, unknown, RegExp]>([
    ['tolerance', -1, /finite number of seconds/],
    ['tolerance', Number.NaN, /finite number of seconds/],
    ['tolerance', Number.POSITIVE_INFINITY, /finite number of seconds/],
    ['tolerance', '300', /finite number of seconds/],
    ['tolerance', null, /finite number of seconds/],
    ['now', new Date(Number.NaN), /valid Date/],
    ['now', 1_769_851_800, /valid Date/],
  ])('%s: %j', (option, value, message) => {
    const wrong = () => verifyWebhook(given({ [option]: value }));
    expect(wrong).toThrow(ConfigurationError);
    expect(wrong).toThrow(message);
    expect(wrong).toThrow(`${option}: `);
  });
});

describe('arbitrary input', () => {
  const name = fc.constantFrom(
    'x-service-signature',
    'X-Service-Timestamp',
    'X-SERVICE-EVENT',
    'get',
    'other',
  );
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('1769851800', 'a'.repeat(64)),
    fc.array(fc.string()),
    fc.anything(),
  );
  const headers = fc.oneof(
    fc.dictionary(name, value),
    fc.anything(),
    fc.array(fc.tuple(fc.oneof(name, fc.anything()), value)),
  );
  const anyBody = fc.oneof(fc.string(), fc.uint8Array(), fc.json(), fc.anything());

  it('returns an event or throws a WebhookVerificationError, for any headers and body', () => {
    fc.assert(
      fc.property(headers, anyBody, (someHeaders, someBody) => {
        const options = given({ headers: someHeaders, body: someBody });
        expect(failure(() => verifyWebhook(options))).toBeInstanceOf(WebhookVerificationError);
      }),
      { numRuns: 1000 },
    );
  });

  it('throws a WebhookVerificationError for any signed body that is not a delivery', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.uint8Array()), (someBody) => {
        const signed = signWebhook({ body: someBody, secret, timestamp: now, event: 'x' });
        const error = failure(() => verifyWebhook(given({ headers: signed, body: someBody })));
        expect(['body_not_json', 'body_incomplete', 'event_header_mismatch']).toContain(error.reason);
      }),
      { numRuns: 1000 },
    );
  });

  it('returns every signed event unchanged, but for whole numbers that a double would round, which are text', () => {
    const exact = (_: string, value: unknown): unknown =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
        ? String(value)
        : value;
    const events = fc.record({
      event: fc.string({ minLength: 1, unit: 'binary' }),
      data: fc.record({ reference: fc.string({ minLength: 1 }), extra: fc.jsonValue() }),
    });
    fc.assert(
      fc.property(events, fc.boolean(), (event, asBytes) => {
        const text = JSON.stringify(event);
        const raw = asBytes ? new TextEncoder().encode(text) : text;
        const { 'X-Service-Event': _, ...signed } = signWebhook({ body: raw, secret, timestamp: now });
        const { delivery_id, ...rest } = verifyWebhook(given({ headers: signed, body: raw }));
        expect(JSON.stringify(rest)).toBe(JSON.stringify(event, exact));
        expect(delivery_id).toBe(signed['X-Service-Delivery-ID']);
      }),
    );
  });
});

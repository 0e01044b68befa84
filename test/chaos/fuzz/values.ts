import fc from 'fast-check';
import {
  acceptance,
  catalogue,
  confirmation,
  refusal,
  subscription,
  transaction,
} from '../../support/envelopes.js';

/** The key of the fuzzed client: responses repeat it, and nothing printed may show it. */
export const canary = 'sk_test_FuzzCanary0123456789';

const documented = [
  acceptance(),
  catalogue(),
  confirmation('4 Marina Road'),
  transaction('success', { token: '03600873271267716521', completed_at: '2026-01-31 10:30:00' }),
  subscription(),
  refusal('VALIDATION_FAILED', { errors: { recipient: 'is wrong' } }),
  refusal('RATE_LIMITED', { retry_after_seconds: 3 }),
  refusal('GATEWAY_ERROR', { message: `for ${canary}` }),
  refusal('PROVIDER_UNAVAILABLE'),
  refusal('ALREADY_PROCESSING'),
];

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    canary,
    `Bearer ${canary}`,
    '1'.repeat(400),
  ),
);

const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 4 }), anyText);

/** A copy of an object with a field removed or replaced, at any depth. */
export const spoilt = (value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: anyValue });
  if (Array.isArray(value)) return fc.tuple(...value.map(spoilt));
  const fields = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoilt(item)]));
  return fc.oneof(
    { weight: 3, arbitrary: fc.record(fields) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  );
};

/** Text with a piece of it removed, doubled or replaced. */
const mutated = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(30), fc.oneof(fc.constant(''), anyText))
    .map(([at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length));

/** A response body: documented, damaged, nested beyond reason, or any text. */
export const anyBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...documented).map((body) => JSON.stringify(body)) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...documented)
      .chain(spoilt)
      .map((body) => JSON.stringify(body) ?? ''),
  },
  { weight: 1, arbitrary: fc.constantFrom(...documented).chain((body) => mutated(JSON.stringify(body))) },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.nat(4000).map((depth) => '['.repeat(depth)) },
);

export const anyStatus = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      200,
      202,
      204,
      301,
      307,
      400,
      401,
      402,
      403,
      404,
      405,
      409,
      422,
      425,
      429,
      500,
      502,
      503,
      504,
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
);

const headerName = fc.constantFrom(
  'retry-after',
  'allow',
  'location',
  'content-type',
  'content-length',
  'content-encoding',
  'set-cookie',
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '0',
    '-5',
    '99999999999999999999',
    'Wed, 21 Oct 2099 07:28:00 GMT',
    'application/json',
    'text/html',
    'gzip',
    '//evil.test/x',
    'http://[',
    canary,
  ),
  fc.string(),
);
export const anyHeaders = fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 });

const event = {
  event: 'transaction.completed',
  timestamp: '2026-01-31T09:30:00Z',
  signature_version: 'v1',
  data: { reference: 'TXN-1', status: 'success', amount: 500, token: '03600873271267716521', metadata: {} },
};

/** A delivery before it is signed, and what becomes of body, signature and time on its way. */
export const anyDelivery = fc.record({
  body: fc.oneof(
    spoilt(event).map((body) => Buffer.from(JSON.stringify(body) ?? '')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ),
  ageInSeconds: fc.constantFrom(0, 60, 114_960, 114_961, -300, -301),
  damage: fc.constantFrom('none', 'none', 'none', 'body', 'signature', 'timestamp', 'no signature', 'event'),
  other: fc.string({ minLength: 1 }),
});

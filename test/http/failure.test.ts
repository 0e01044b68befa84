import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/http/call.js';
import { createError } from '../../src/http/failure.js';
import type { AttemptOutcome, ReceivedResponse } from '../../src/http/transport.js';
import { patternRedactor } from '../../src/redaction/redactor.js';
import { noResponse, refusal, responseOf } from './sample-outcomes.js';

const failure = (outcome: AttemptOutcome, more: Partial<Failure> = {}): Failure => ({
  operation: 'airtime.purchase',
  kind: 'purchase',
  baseUrl: 'https://service.test/api/v1',
  outcome,
  attempts: 1,
  idempotencyKey: 'order-1',
  chargePossible: false,
  resume: false,
  redactor: patternRedactor,
  problem: undefined,
  retryAfterSeconds: undefined,
  timeoutMs: 30_000,
  totalTimeoutMs: undefined,
  ...more,
});

const said = (outcome: AttemptOutcome, more: Partial<Failure> = {}) =>
  createError(failure(outcome, more)).message;

/** Said of a response without the service's error envelope. */
const foreign =
  '; the response did not come from the service but from something in between, such as a proxy or a firewall';
const nothing = 'This call charged nothing.';
const unknown =
  "The wallet may have been debited: the sale is unknown, not failed. Retry with idempotency_key 'order-1' and the same parameters; the service then returns the original and charges at most once.";

/** The message of each documented response is in test/errors/table.test.ts. */
describe('the message of a purchase says what happened, what of the money, what to do', () => {
  it.each<[string, AttemptOutcome, Partial<Failure>, string]>([
    [
      '402 after doubt',
      refusal(402, 'INSUFFICIENT_BALANCE'),
      { chargePossible: true, attempts: 2 },
      `failed with 402 INSUFFICIENT_BALANCE (a reason) (after 2 attempts). ${unknown} Fund the wallet, then call again. Keep idempotency_key 'order-1'.`,
    ],
    [
      'the deadline',
      noResponse('timeout'),
      { chargePossible: true, totalTimeoutMs: 120_000, attempts: 3 },
      `received no response within its totalTimeout of 120000 ms (after 3 attempts). ${unknown}`,
    ],
    [
      'a broken connection whose cause has a code',
      {
        ...noResponse('connection'),
        cause: new TypeError('fetch failed', {
          cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }),
        }),
      },
      { chargePossible: true },
      `received no response: the connection to service.test:443 broke (ECONNRESET). ${unknown}`,
    ],
    [
      'a connection that had gone before the request left',
      { ...noResponse('connection', false), unsent: true, cause: new Error('closed') },
      {},
      `was not sent: its connection to service.test:443 had been closed (closed). ${nothing}`,
    ],
    [
      'a connection that never was, as its transport saw',
      {
        ...noResponse('connection', false),
        unsent: true,
        cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      },
      {},
      `could not connect to service.test:443 (ECONNREFUSED). ${nothing}`,
    ],
    [
      'an answer of no kind',
      responseOf(0),
      { chargePossible: true },
      `returned a 0 response that cannot be used: its body is not as documented. ${unknown}`,
    ],
  ])('%s', (_, outcome, more, message) => {
    expect(said(outcome, more)).toBe(`airtime.purchase ${message}`);
  });
});

describe('the message of a call that resumes a doubtful purchase', () => {
  const stillUnknown =
    "This call charged nothing, but the earlier call may have: the sale is still unknown, not failed. Retry with idempotency_key 'order-1' and the same parameters; the service then returns the original and charges at most once.";

  it('says what holds for this call, and that the earlier one stays open', () => {
    const outcome = refusal(422, 'AMOUNT_MISMATCH');
    expect(said(outcome, { resume: true })).toContain(`AMOUNT_MISMATCH (a reason). ${stillUnknown}`);
    expect(createError(failure(outcome, { resume: true }))).toMatchObject({ mayHaveCharged: true });
  });

  it('is that of any doubtful call where this one is doubtful too', () => {
    expect(said(responseOf(500), { resume: true, chargePossible: true })).toContain(unknown);
  });
});

describe('a connection failure names host and port', () => {
  it.each([
    ['https://service.test/api/v1', 'service.test:443'],
    ['http://service.test/api/v1', 'service.test:80'],
    ['https://service.test:8443/api/v1', 'service.test:8443'],
    ['http://[::1]:4010/api/v1', '[::1]:4010'],
  ])('of %s', (baseUrl, host) => {
    expect(said(noResponse('connection', false), { baseUrl })).toContain(`could not connect to ${host}.`);
    expect(said(noResponse('connection'), { baseUrl })).toContain(`the connection to ${host} broke.`);
  });
});

describe('what the service says', () => {
  const saying = (message: unknown): ReceivedResponse =>
    responseOf(400, { status: 'error', code: 'BAD_REQUEST', message });

  it.each([undefined, null, 5, '', '  '])('is left out where it is %j', (message) => {
    const origin = typeof message === 'string' ? '' : foreign;
    expect(said(saying(message))).toBe(`airtime.purchase failed with 400 BAD_REQUEST${origin}. ${nothing}`);
  });

  it('ends in no second full stop, nor in blanks, and keeps those within', () => {
    expect(said(saying(' v1.2 is gone. Use v1.3. '))).toBe(
      `airtime.purchase failed with 400 BAD_REQUEST (v1.2 is gone. Use v1.3). ${nothing}`,
    );
  });

  it('is cut short, and shows no secret', () => {
    const message = said(saying(`sk_live_abc123 ${'x'.repeat(5000)}`));
    expect(message).toContain('(sk_[redacted] xxx');
    expect(message).not.toContain('abc123');
    expect(message.length).toBeLessThan(500);
  });

  it('is on the error: status, code, body, headers, fields', () => {
    const body = { status: 'error', code: 'VALIDATION_FAILED', errors: { amount: 5 } };
    const error = createError(failure(responseOf(422, body, { 'x-request-id': 'r1' })));
    expect(error).toMatchObject({
      name: 'ValidationError',
      status: 422,
      code: 'VALIDATION_FAILED',
      errors: { amount: '5' },
      body,
      operation: 'airtime.purchase',
      attempts: 1,
      idempotencyKey: 'order-1',
    });
    expect(error).toHaveProperty('headers', expect.any(Headers));
  });

  it('is its text where it is no JSON', () => {
    expect(createError(failure(responseOf(502, '<html>')))).toMatchObject({ body: '<html>' });
  });

  it('of a field may be several texts, or anything', () => {
    const errors = {
      amount: ['too small', 'not whole'],
      biller: ['unknown', 7],
      recipient: [],
      more: { a: [1] },
    };
    expect(createError(failure(responseOf(422, { code: 'VALIDATION_FAILED', errors })))).toMatchObject({
      errors: { amount: 'too small; not whole', biller: '["unknown",7]', recipient: '', more: '{"a":[1]}' },
    });
  });

  it('as errors may be anything, and is then none', () => {
    for (const errors of ['all', 5, null, undefined]) {
      expect(createError(failure(responseOf(422, { code: 'VALIDATION_FAILED', errors })))).toMatchObject({
        errors: {},
      });
    }
  });
});

it('names a redirect’s target without what looks like a secret in it', () => {
  const redirect = 'https://elsewhere.test/?key=sk_live_abc123';
  const message = said({ ...responseOf(302), redirect });
  expect(message).toContain(
    'was redirected to https://elsewhere.test/?key=sk_[redacted]; redirects are not followed',
  );
});

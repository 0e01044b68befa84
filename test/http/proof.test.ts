import { describe, expect, it } from 'vitest';
import type { CallKind } from '../../src/http/proof.js';
import { mayHaveCharged } from '../../src/http/proof.js';
import type { AttemptOutcome } from '../../src/http/transport.js';
import { noResponse, refusal, responseOf } from './sample-outcomes.js';

/** What an attempt at a purchase ended in, and whether a debit cannot be ruled out. */
const table: readonly [what: string, AttemptOutcome, boolean][] = [
  ['a connection that never came to be', noResponse('connection', false), false],
  ['a connection that broke', noResponse('connection'), true],
  ['a time-out', noResponse('timeout'), true],
  ['an abort before anything was sent', noResponse('aborted', false), false],
  ['an abort under way', noResponse('aborted'), true],
  ['an opaque redirect', responseOf(0), true],
  ['a 200 that cannot be read', responseOf(200, '<html>'), true],
  ['a 202 without its reference', responseOf(202, {}), true],
  ['a 204', responseOf(204), true],
  ['a 301', responseOf(301), true],
  ['a 302', responseOf(302), true],
  ['a 307', responseOf(307), true],
  ['a 308', responseOf(308), true],
  ['400', refusal(400, 'BAD_REQUEST'), false],
  ['a documented code at another status', refusal(400, 'VALIDATION_FAILED'), true],
  ['the right code without the envelope', responseOf(402, { code: 'INSUFFICIENT_BALANCE' }), true],
  [
    'an envelope without its message',
    responseOf(402, { status: 'error', code: 'INSUFFICIENT_BALANCE' }),
    true,
  ],
  [
    'an envelope whose status is another',
    responseOf(402, { status: 'failed', code: 'INSUFFICIENT_BALANCE', message: '' }),
    true,
  ],
  ['a 401 page', responseOf(401, '<html>'), true],
  ['a 403 page', responseOf(403, '<html>'), true],
  ['a 422 that breaks off', responseOf(422, '{"status":"error","code":"VALIDA'), true],
  ['a status that is no number', responseOf(Number.NaN), true],
  ['401', refusal(401, 'UNAUTHORIZED'), false],
  ['402', refusal(402, 'INSUFFICIENT_BALANCE'), false],
  ['403 GATEWAY_ERROR', refusal(403, 'GATEWAY_ERROR'), false],
  ['403 ACCOUNT_RESTRICTED', refusal(403, 'ACCOUNT_RESTRICTED'), false],
  ['404', responseOf(404), true],
  ['404 in the envelope, whose code is not documented', refusal(404, 'NOT_FOUND'), true],
  ['405', refusal(405, 'METHOD_NOT_ALLOWED'), false],
  ['408', responseOf(408), true],
  ['409 ALREADY_PROCESSING', refusal(409, 'ALREADY_PROCESSING'), true],
  ['409 with another code', responseOf(409), true],
  ['410', responseOf(410), true],
  ['413', responseOf(413, '<html>'), true],
  ['422 VALIDATION_FAILED', refusal(422, 'VALIDATION_FAILED'), false],
  ['422 AMOUNT_MISMATCH', refusal(422, 'AMOUNT_MISMATCH'), false],
  ['422 GATEWAY_ERROR', refusal(422, 'GATEWAY_ERROR'), false],
  ['422 VERIFICATION_FAILED', refusal(422, 'VERIFICATION_FAILED'), false],
  ['425', responseOf(425), true],
  ['429', refusal(429, 'RATE_LIMITED'), false],
  ['429 from a proxy', responseOf(429, '<html>'), true],
  ['499', responseOf(499), true],
  ['500', refusal(500, 'GATEWAY_ERROR'), true],
  ['501', responseOf(501), true],
  ['502', refusal(502, 'GATEWAY_ERROR'), true],
  ['503 PROVIDER_UNAVAILABLE', refusal(503, 'PROVIDER_UNAVAILABLE'), false],
  ['503 QUEUE_UNAVAILABLE', refusal(503, 'QUEUE_UNAVAILABLE'), false],
  ['503 with another code', refusal(503, 'GATEWAY_ERROR'), true],
  ['503 from a proxy', responseOf(503, '<html>'), true],
  ['500 with the code of a 503', refusal(500, 'PROVIDER_UNAVAILABLE'), true],
  ['504', responseOf(504), true],
  ['599', responseOf(599), true],
];

describe('mayHaveCharged', () => {
  it.each(table)('%s', (_, outcome, expected) => {
    const of = (kind: CallKind) => mayHaveCharged(kind, outcome);
    expect({ purchase: of('purchase'), unknown: of('unknown') }).toEqual({
      purchase: expected,
      unknown: expected,
    });
    // Calls that buy nothing can never have charged.
    expect({ read: of('read'), subscribe: of('subscribe') }).toEqual({ read: false, subscribe: false });
  });
});

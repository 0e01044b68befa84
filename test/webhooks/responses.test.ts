import { expect, it } from 'vitest';
import type { WebhookVerificationReason } from '../../src/errors/webhook-errors.js';
import { responseForReason } from '../../src/webhooks/receiver/responses.js';

/** 401: the sender's fault; 400: the content's; 500: the receiver's own, so that the service delivers again. */
const expected: Record<WebhookVerificationReason, number> = {
  missing_header: 401,
  malformed_timestamp: 401,
  timestamp_outside_tolerance: 401,
  malformed_signature: 401,
  signature_mismatch: 401,
  event_header_mismatch: 401,
  body_not_json: 400,
  body_incomplete: 400,
  body_already_parsed: 500,
  secret_is_api_key: 500,
  secret_malformed: 500,
};

it('gives each reason a status, and 500 to an error without a reason', () => {
  const statuses = Object.keys(expected).map((reason) => [
    reason,
    responseForReason(reason as WebhookVerificationReason).status,
  ]);
  expect(Object.fromEntries(statuses)).toEqual(expected);
  expect(responseForReason(undefined).status).toBe(500);
});

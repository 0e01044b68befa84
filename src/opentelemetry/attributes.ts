import type { Attributes } from '@opentelemetry/api';
import { webhookEventNames } from '../contract/vocabulary.js';
import { errorResponses } from '../errors/error-responses.js';
import type { AttemptRecord, CallInfo, CallRecord } from '../options.js';

/** Names of attributes: OpenTelemetry's semantic conventions where one exists, else below `billpay.`. */
export const names = {
  errorType: 'error.type',
  resendCount: 'http.request.resend_count',
  responseStatus: 'http.response.status_code',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  operation: 'billpay.operation',
  outcome: 'billpay.outcome',
  errorCode: 'billpay.error.code',
  retryReason: 'billpay.retry.reason',
  retryDelay: 'billpay.retry.delay',
  pacingWait: 'billpay.pacing.wait',
  attemptDuration: 'billpay.attempt.duration',
  webhookEvent: 'billpay.webhook.event',
  orderState: 'billpay.order.state',
  orderFrom: 'billpay.order.from',
  orderProduct: 'billpay.order.product',
} as const;

/** What metrics and spans of a call have in common. Never the recipient, a token or a key of any kind. */
export function callAttributes({ operation, baseUrl }: CallInfo): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    [names.operation]: operation,
    [names.serverAddress]: hostname,
    [names.serverPort]: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

export function outcomeAttributes({ outcome, error }: CallRecord): Attributes {
  return {
    [names.outcome]: outcome,
    ...(outcome !== 'success' && { [names.errorType]: error?.name ?? '_OTHER' }),
  };
}

const documentedCodes: readonly string[] = errorResponses.flatMap((row) => ('code' in row ? [row.code] : []));

/** How an attempt ended. A code that is not documented is left out: a proxy may put anything there. */
export function attemptAttributes({ operation, status, code, error }: AttemptRecord): Attributes {
  return {
    [names.operation]: operation,
    ...(status !== undefined && { [names.responseStatus]: status }),
    ...(code !== undefined && documentedCodes.includes(code) && { [names.errorCode]: code }),
    ...(error !== undefined && { [names.errorType]: error }),
  };
}

/** Why an attempt was repeated: the documented code of its response, else its status, else the class of its error. */
export function retryReason({ status, code, error }: AttemptRecord): string {
  if (code !== undefined && documentedCodes.includes(code)) return code;
  return status === undefined ? (error ?? '_OTHER') : String(status);
}

/** The name of a webhook event, for a metric: a documented one, or `_OTHER`. */
export const webhookEventName = (event: string): string =>
  webhookEventNames.find((name) => name === event) ?? '_OTHER';

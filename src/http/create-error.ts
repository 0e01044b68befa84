import type { Purchase } from '../contract/responses.js';
import { RateLimitError } from '../errors/availability-errors.js';
import type { BillPayError, ErrorContext } from '../errors/base.js';
import { apiErrorClass } from '../errors/create-api-error.js';
import { AbortError, ConnectionError, TimeoutError } from '../errors/network-errors.js';
import { redactText, redactValue } from '../errors/redact.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { mayHaveBeenDone } from './charge-risk.js';
import { provesNoConnection } from './network-failure.js';
import {
  type AttemptOutcome,
  type CallKind,
  codeOf,
  field,
  type ReceivedResponse,
  type TransportFailure,
} from './outcome.js';

/** What the words and fields of an error are made from. */
export interface Failure {
  readonly operation: string;
  readonly kind: CallKind;
  readonly baseUrl: string;
  readonly outcome: AttemptOutcome;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
  readonly mayHaveCharged: boolean;
  /** Why a 2xx could not be used. */
  readonly problem: string | undefined;
  /** A purchase that was accepted although its answer was refused for its form. */
  readonly purchase?: Purchase | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** ms that the last attempt was given. */
  readonly timeoutMs: number;
  /** Whether what ran out was the whole call's time. */
  readonly totalTimeoutMs: number | undefined;
}

/** The error that a call ends in: its class, its fields, and words that say what happened, to the money too, and what to do. */
export function createError(failure: Failure): BillPayError {
  const { operation, attempts, idempotencyKey, mayHaveCharged, outcome } = failure;
  const context: ErrorContext = { operation, attempts, idempotencyKey, mayHaveCharged };
  return outcome.kind === 'failure'
    ? withoutAnswer(failure, outcome, context)
    : outcome.status < 400
      ? unusableAnswer(failure, outcome, context)
      : errorAnswer(failure, outcome, context);
}

/** A call that a pacer could not let through within its deadline: refused here, like a 429 before it happens. */
export function turnPastDeadlineError(
  operation: string,
  idempotencyKey: string | undefined,
  turnInMs: number,
  totalTimeoutMs: number,
): RateLimitError {
  const retryAfterSeconds = Math.ceil(turnInMs / 1000);
  return new RateLimitError(
    `${operation} was not sent: at the pace that the rate limits allow its turn comes in ${retryAfterSeconds} s, past its totalTimeout of ${totalTimeoutMs} ms. Nothing was charged. Call again later, or give it a longer totalTimeout.`,
    { operation, idempotencyKey, code: 'RATE_LIMITED', retryAfterSeconds },
  );
}

function withoutAnswer(failure: Failure, outcome: TransportFailure, context: ErrorContext): BillPayError {
  const withCause = { ...context, cause: outcome.cause };
  switch (outcome.why) {
    case 'aborted':
      return new AbortError(sentence(failure, 'was aborted by its signal'), withCause);
    case 'timeout': {
      const what =
        failure.totalTimeoutMs === undefined
          ? `got no answer within the timeout of ${failure.timeoutMs} ms`
          : `got no answer within its totalTimeout of ${failure.totalTimeoutMs} ms`;
      return new TimeoutError(sentence(failure, what), withCause);
    }
    case 'connection': {
      const what = outcome.mayHaveArrived
        ? 'got no answer: the connection broke'
        : outcome.unsent && !provesNoConnection(outcome.cause)
          ? 'was not sent: its connection had gone'
          : 'could not connect';
      return new ConnectionError(sentence(failure, what + causeIn(outcome.cause)), withCause);
    }
  }
}

function unusableAnswer(failure: Failure, answer: ReceivedResponse, context: ErrorContext): BillPayError {
  const what =
    answer.redirect === undefined
      ? `got a ${answer.status} that cannot be used: ${failure.problem ?? 'its body is not what is documented'}`
      : `was redirected to ${redactText(answer.redirect)}, and redirects are not followed with a key in hand; put the final address into baseUrl`;
  return new UnexpectedResponseError(sentence(failure, what), {
    ...context,
    ...answerFields(answer),
    purchase: failure.purchase,
    cause: answer.bodyFailure?.cause,
  });
}

function errorAnswer(failure: Failure, answer: ReceivedResponse, context: ErrorContext): BillPayError {
  const { status, json } = answer;
  const code = codeOf(json);
  const said = field(json, 'message');
  const words =
    typeof said === 'string' && said.trim() !== ''
      ? ` (${redactText(said.trim()).slice(0, 300).replace(/\.$/, '')})`
      : '';
  const what = `was answered ${status}${code ? ` ${code}` : ''}${words}`;
  const ErrorClass = apiErrorClass(status, code);
  return new ErrorClass(sentence(failure, what, advice(failure, answer, code)), {
    ...context,
    ...answerFields(answer),
    code,
    errors: fieldErrors(json),
    retryAfterSeconds: failure.retryAfterSeconds,
    cause: answer.bodyFailure?.cause,
  });
}

const answerFields = ({ status, json, text, headers }: ReceivedResponse) => ({
  status,
  body: json ?? text,
  headers,
});

const causeIn = (cause: unknown): string => {
  if (!(cause instanceof Error)) return '';
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const code: unknown = Reflect.get(inner, 'code');
  return ` (${typeof code === 'string' ? code : inner.message})`;
};

/** `errors` of a VALIDATION_FAILED: field to text. */
function fieldErrors(json: unknown): Record<string, string> {
  const errors = field(json, 'errors');
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([name, said]) => [redactText(name), redactText(wordsOf(said))]),
  );
}

/** A field's text; some services send several as a list, and anything else is shown as what it is. */
function wordsOf(said: unknown): string {
  if (typeof said === 'string') return said;
  const several = Array.isArray(said) && said.every((text) => typeof text === 'string');
  return several ? said.join('; ') : JSON.stringify(redactValue(said));
}

/** What happened; what it means for the money; what to do. */
function sentence(failure: Failure, what: string, todo?: string): string {
  const after = failure.attempts > 1 ? ` (after ${failure.attempts} attempts)` : '';
  return [`${failure.operation} ${what}${after}.`, money(failure), todo].filter(Boolean).join(' ');
}

function money(failure: Failure): string {
  const { kind, mayHaveCharged, idempotencyKey } = failure;
  if (kind === 'subscribe') {
    return secretMayBeLost(failure)
      ? 'If the service took it, its one-time secret is lost: subscribe again and use the newest secret.'
      : '';
  }
  if (!mayHaveCharged) return kind === 'purchase' ? 'Nothing was charged.' : '';
  return idempotencyKey === undefined
    ? 'It may have been carried out all the same, and has no idempotency_key to repeat it under: look before you repeat it.'
    : `The wallet may have been debited: the sale is unknown, not failed. Retry with idempotency_key '${idempotencyKey}' and the same parameters; the service then gives back the original and charges at most once.`;
}

/** Whether there may be a subscription whose secret nobody saw. An abort in a wait says nothing of the attempt before it. */
function secretMayBeLost({ attempts, outcome }: Failure): boolean {
  const abortedInWait = attempts > 0 && outcome.kind === 'failure' && outcome.why === 'aborted';
  return attempts > 1 || abortedInWait || mayHaveBeenDone(outcome);
}

function advice(
  { operation, kind, baseUrl, retryAfterSeconds, idempotencyKey }: Failure,
  answer: ReceivedResponse,
  code: string | undefined,
): string {
  const sameKey = kind === 'purchase' && idempotencyKey ? ` Keep idempotency_key '${idempotencyKey}'.` : '';
  const { status } = answer;
  switch (status) {
    case 401:
      return 'Check apiKey and that it belongs to this environment; an address outside the key’s IP allow-list is answered the same way.';
    case 402:
      return code === 'INSUFFICIENT_BALANCE' ? `Fund the wallet, then call again.${sameKey}` : '';
    case 403:
      return code === 'ACCOUNT_RESTRICTED'
        ? 'The account is not verified or not in good standing; reading keeps working.'
        : 'Check that clientId is registered and belongs to apiKey, and that apiKey is a secret key where one is needed.';
    case 404:
      return notFoundAdvice(operation, baseUrl);
    case 405:
      return `Allowed: ${redactText(answer.headers.get('allow') ?? 'not said')}.`;
    case 409:
      return code === 'ALREADY_PROCESSING'
        ? 'A request with this key is still in flight: call again shortly.'
        : '';
    case 422:
      return unprocessableAdvice(code, fieldErrors(answer.json));
    case 429:
      return retryAfterSeconds === undefined
        ? 'Wait before the next call.'
        : `Call again after ${retryAfterSeconds} s.${sameKey}`;
    case 503:
      return code === 'PROVIDER_UNAVAILABLE' || code === 'QUEUE_UNAVAILABLE'
        ? `Call again later.${sameKey}`
        : '';
    default:
      return status >= 500 && kind !== 'purchase' ? 'Call again later.' : '';
  }
}

function notFoundAdvice(operation: string, baseUrl: string): string {
  if (operation.endsWith('.products') && !baseUrl.endsWith('/api/v1')) {
    return `Catalogues exist only under /api/v1, and baseUrl is ${baseUrl}.`;
  }
  if (operation === 'transactions.status') {
    return 'The reference is unknown, or belongs to another client; an idempotency_key is not a reference.';
  }
  return `Check baseUrl (${baseUrl}).`;
}

function unprocessableAdvice(code: string | undefined, errors: Record<string, string>): string {
  switch (code) {
    case 'VALIDATION_FAILED':
      return Object.entries(errors)
        .map(([name, text]) => `${name}: ${text}.`)
        .join(' ');
    case 'AMOUNT_MISMATCH':
      return 'The listed price is another: fetch the catalogue again and ask your customer before buying.';
    case 'VERIFICATION_FAILED':
      return 'The recipient could not be confirmed: check the number with your customer.';
    case 'GATEWAY_ERROR':
      return 'A field leads nowhere, such as an unknown product_code or a biller that is not served: fetch the catalogue again.';
    default:
      return '';
  }
}

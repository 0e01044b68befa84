import { billersOf } from '../contract/billers.js';
import { describeDifference } from '../contract/echo.js';
import { operations } from '../contract/operations.js';
import type { Purchase, PurchaseDifference } from '../contract/responses.js';
import { products } from '../contract/vocabulary.js';
import type { ErrorResponseName } from '../errors/error-responses.js';
import { field } from '../utils/field.js';
import type { CallContext, Failure } from './call.js';
import { provesNoConnection } from './connection-proof.js';
import { codeOf, errorEnvelope, isDocumentedError, mayHaveTakenEffect } from './proof.js';
import { shownValue } from './report.js';
import type { ReceivedResponse, TransportFailure } from './transport.js';

/** The messages of errors: what happened, what it means for the money, what to do. They describe one call, not those before it. */

/** No response was received. */
export function networkFailure(failure: Failure, outcome: TransportFailure): string {
  const { timeoutMs, totalTimeoutMs, baseUrl } = failure;
  const limit =
    totalTimeoutMs === undefined
      ? `the timeout of ${timeoutMs} ms`
      : `its totalTimeout of ${totalTimeoutMs} ms`;
  switch (outcome.why) {
    case 'aborted':
      return sentences(failure, 'was aborted by its signal');
    case 'timeout':
      return sentences(failure, `received no response within ${limit}`);
    case 'connection':
      return sentences(failure, connectionFailure(baseUrl, outcome));
  }
}

function connectionFailure(baseUrl: string, { mayHaveArrived, unsent, cause }: TransportFailure): string {
  const host = hostAndPort(baseUrl);
  const why = causeIn(cause);
  if (mayHaveArrived) return `received no response: the connection to ${host} broke${why}`;
  return unsent && !provesNoConnection(cause)
    ? `was not sent: its connection to ${host} had been closed${why}`
    : `could not connect to ${host}${why}`;
}

/** The host and the port that a client talks to, the default port of the scheme included. */
function hostAndPort(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
}

const causeIn = (cause: unknown): string => {
  if (!(cause instanceof Error)) return '';
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const code: unknown = Reflect.get(inner, 'code');
  return ` (${typeof code === 'string' ? code : inner.message})`;
};

/** The deadline comes before the request can be sent: `turnInSeconds` is when the pacer would have let it through. */
export const unsentInTime = (call: FailedCall, totalTimeoutMs: number, turnInSeconds?: number): string =>
  turnInSeconds === undefined
    ? sentences(
        call,
        `was not sent: its totalTimeout of ${totalTimeoutMs} ms had passed, because this process was busy or suspended`,
        'Call again.',
      )
    : sentences(
        call,
        `was not sent: at the pace that the rate limits allow its turn comes in ${turnInSeconds} s, after its totalTimeout of ${totalTimeoutMs} ms`,
        'Call again later, or set a longer totalTimeout.',
      );

/** A response below 400 that cannot be used. */
export const unusableResponse = (failure: Failure, response: ReceivedResponse): string =>
  sentences(
    failure,
    response.redirect === undefined
      ? `returned a ${response.status} response that cannot be used: ${failure.problem ?? 'its body is not as documented'}`
      : `was redirected to ${failure.redactor.text(response.redirect)}; redirects are not followed, because they would carry the key elsewhere. Set baseUrl to the final address`,
  );

/** A response from 400 up, by the name of its class. */
export function errorResponse(
  name: ErrorResponseName | 'ApiError',
  failure: Failure,
  response: ReceivedResponse,
): string {
  const { status, json } = response;
  const { text } = failure.redactor;
  const code = codeOf(json);
  const said = field(json, 'message');
  const words =
    typeof said === 'string' && said.trim() !== ''
      ? ` (${text(said.trim(), 300).replace(/[\ud800-\udbff]$|\.$/, '')})`
      : '';
  const what = `failed with ${status}${code ? ` ${text(code)}` : ''}${words}`;
  const remedy = remedies[name];
  return sentences(
    failure,
    what + originOf(failure, response),
    typeof remedy === 'function' ? remedy(failure, response) : remedy,
  );
}

/** Why an error response may prove nothing: it is not the service's own, or not one that it documents. */
function originOf({ kind }: Failure, response: ReceivedResponse): string {
  if (isDocumentedError(response)) return '';
  if (errorEnvelope(response.json) === undefined) {
    return '; the response did not come from the service but from something in between, such as a proxy or a firewall';
  }
  return kind === 'purchase' ? '; the service does not document this combination of status and code' : '';
}

/** Another purchase came back. */
export function keyReused(
  { operation, redactor }: CallContext,
  { idempotency_key, reference }: Purchase,
  differences: readonly PurchaseDifference[],
): string {
  const list = differences.map((difference) =>
    describeDifference(difference, (name, value) => shownValue(name, value, redactor)),
  );
  const shown = redactor.known(reference);
  return `${operation} under idempotency_key '${idempotency_key}' returned the purchase ${shown}, which differs from what was asked (${list.join('; ')}). The key was probably used before for another sale, so it is unknown whether this order was bought. Look at reference ${shown} with transactions.status and compare it with your orders before you do anything else; do not buy this order under another key until that is settled.`;
}

/** `errors` of a VALIDATION_FAILED response, as it was sent: field to text. */
export function fieldErrors(json: unknown): Record<string, string> {
  const errors = field(json, 'errors');
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, value]) => [name, textOf(value)]));
}

/** A field's text; several texts are joined, and any other value is shown as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((text) => typeof text === 'string');
  if (isList) return value.join('; ');
  try {
    return JSON.stringify(value);
  } catch {
    return '[…]';
  }
}

type FailedCall = CallContext &
  Pick<Failure, 'attempts' | 'chargePossible'> &
  Partial<Pick<Failure, 'outcome'>>;

function sentences(call: FailedCall, what: string, remedy?: string): string {
  const after = call.attempts > 1 ? ` (after ${call.attempts} attempts)` : '';
  return [`${call.operation} ${what}${after}.`, moneyOf(call), remedy].filter(Boolean).join(' ');
}

/** What the failure means for the money, or for the secret of a subscription. */
function moneyOf(call: FailedCall): string {
  const { kind, chargePossible, resume, idempotencyKey } = call;
  if (kind === 'subscribe') {
    return secretMayBeLost(call)
      ? 'If the service carried it out, its one-time secret is lost: subscribe again and use the newest secret.'
      : '';
  }
  const howToResume = `Retry with idempotency_key '${idempotencyKey}' and the same parameters; the service then returns the original and charges at most once.`;
  if (chargePossible) {
    return idempotencyKey === undefined
      ? 'It may have been carried out, and has no idempotency_key to repeat it under: check before you repeat it.'
      : `The wallet may have been debited: the sale is unknown, not failed. ${howToResume}`;
  }
  if (resume) {
    return `This call charged nothing, but the earlier call may have: the sale is still unknown, not failed. ${howToResume}`;
  }
  return kind === 'purchase' ? 'This call charged nothing.' : '';
}

/** Whether there may be a subscription whose secret was lost. An abort during a wait proves nothing about the attempt before it. */
function secretMayBeLost({ attempts, outcome }: FailedCall): boolean {
  if (!outcome) return false;
  const abortedInWait = attempts > 0 && outcome.kind === 'failure' && outcome.why === 'aborted';
  return attempts > 1 || abortedInWait || mayHaveTakenEffect(outcome);
}

const permissionRemedy =
  'Check that clientId is registered and belongs to apiKey, and that apiKey is a secret key where one is needed.';

/** What to do about an error response, by its class. */
const remedies: Readonly<
  Partial<
    Record<ErrorResponseName | 'ApiError', string | ((failure: Failure, of: ReceivedResponse) => string)>
  >
> = {
  AuthenticationError:
    'Check apiKey and that it belongs to this environment; a request from an address outside the key’s IP allow-list fails in the same way.',
  InsufficientBalanceError: (failure) => `Fund the wallet, then call again.${sameKey(failure)}`,
  PermissionError: permissionRemedy,
  AccountRestrictedError: 'The account is not verified or not in good standing; read-only calls still work.',
  NotFoundError: notFoundRemedy,
  MethodNotAllowedError: ({ redactor }, { headers }) =>
    `Allowed: ${redactor.text(headers.get('allow') ?? 'not stated')}.`,
  AlreadyProcessingError: 'A request with this key is still in flight: call again shortly.',
  ValidationError: ({ redactor: { text } }, { json }) =>
    Object.entries(fieldErrors(json))
      .slice(0, 20)
      .map(([name, words]) => `${text(name, 100)}: ${text(words, 300)}.`)
      .join(' '),
  AmountMismatchError:
    'The listed price has changed: fetch the catalogue again and ask your customer before buying.',
  VerificationFailedError: 'The recipient could not be confirmed: check the number with your customer.',
  UnresolvableFieldError: unresolvedRemedy,
  RateLimitError: (failure) =>
    failure.retryAfterSeconds === undefined
      ? 'Wait before the next call.'
      : `Call again after ${failure.retryAfterSeconds} s.${sameKey(failure)}`,
  ProviderUnavailableError: laterRemedy,
  QueueUnavailableError: laterRemedy,
  ServerError: ({ kind }) => (kind === 'purchase' ? '' : 'Call again later.'),
  ApiError: (_, { status }) => (status === 403 ? permissionRemedy : ''),
};

const sameKey = ({ kind, idempotencyKey }: CallContext): string =>
  kind === 'purchase' && idempotencyKey ? ` Keep idempotency_key '${idempotencyKey}'.` : '';

function laterRemedy(failure: Failure): string {
  return `Call again later.${sameKey(failure)}`;
}

function notFoundRemedy({ operation, baseUrl }: CallContext): string {
  if (operation.endsWith('.products') && !baseUrl.endsWith('/api/v1')) {
    return `Catalogues exist only under /api/v1, and baseUrl is ${baseUrl}.`;
  }
  if (operation === 'transactions.status') {
    return 'The reference is unknown or belongs to another client; an idempotency_key is not a reference.';
  }
  return `Check baseUrl (${baseUrl}).`;
}

/** Names the billers of a product; only some products have a catalogue. */
function unresolvedRemedy({ operation }: CallContext): string {
  const product = products.find((name) => operation.startsWith(`${name}.`));
  if (!product)
    return 'A field cannot be resolved, such as an unknown product_code or a biller that is not configured.';
  return `${product}.products` in operations
    ? `A field cannot be resolved: either the product_code, so fetch the catalogue again, or the biller: ${billersOf(product)}.`
    : `A field cannot be resolved, most likely the biller: ${billersOf(product)}.`;
}

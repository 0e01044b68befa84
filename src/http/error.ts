import { describeDifference } from '../contract/echo.js';
import { textOfErrors } from '../contract/read-params.js';
import * as apiErrors from '../errors/api-errors.js';
import { BillPayError, ConfigurationError, type ErrorContext } from '../errors/base.js';
import {
  AbortError,
  ConnectionError,
  IdempotencyKeyReusedError,
  TimeoutError,
  UnexpectedResponseError,
} from '../errors/call-errors.js';
import { errorResponseName, type FailedCall, remedyFor } from '../errors/error-responses.js';
import { field, readProperty } from '../utils/unknown.js';
import type { Call, ClientConfig } from './call.js';
import { shownValue } from './report.js';
import type { OtherPurchase, UnusableResponse } from './response.js';
import { codeOf, documentedError, isErrorEnvelope, mayHaveTakenEffect } from './rules.js';
import type { AttemptOutcome, ReceivedResponse, TransportFailure } from './transport.js';

// The errors of calls. Their messages say what happened, what it means for the money, and what to do; they describe one call, not those before it.

/** How a call failed. */
export interface Failure {
  readonly outcome: AttemptOutcome;
  /** How many requests were sent. */
  readonly attempts: number;
  /** Whether an attempt of this call may have charged. */
  readonly chargePossible: boolean;
  /** What a 2xx lacks. */
  readonly unusable?: UnusableResponse | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Whether the time of the whole call ran out. */
  readonly isTotal?: boolean;
}

/** What the constructors of all classes of error responses take. */
type ApiErrorClass = new (
  message: string,
  context: apiErrors.ResponseContext & {
    errors?: Record<string, string> | undefined;
    retryAfterSeconds?: number | undefined;
  },
) => apiErrors.ApiError;

/** The error that a call ends in. */
export function createError(call: Call, config: ClientConfig, failure: Failure): BillPayError {
  const { outcome, unusable } = failure;
  const { known } = config.redactor;
  const context = contextOf(call, failure);
  if (outcome.kind === 'failure') {
    const message = known(sentences(call, failure, networkFailure(call, config, failure, outcome)));
    return new networkErrors[outcome.why](message, { ...context, cause: outcome.cause });
  }
  const { status, json, text, headers, bodyFailure } = outcome;
  const { accepted, other, otherReference } = unusable ?? {};
  if (other) {
    const message = known(keyReused(call, config, other));
    return new IdempotencyKeyReusedError(message, { ...context, ...other });
  }
  const response = { ...context, status, body: json ?? text, headers, cause: bodyFailure?.cause };
  if (status < 400) {
    const message = known(sentences(call, failure, unusableResponse(config, outcome, unusable)));
    return new UnexpectedResponseError(message, { ...response, purchase: accepted, otherReference });
  }
  const code = codeOf(json);
  const name = errorResponseName(status, code);
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the module holds the classes of the table, and each may be needed.
  const ErrorClass: ApiErrorClass = apiErrors[name];
  const { retryAfterSeconds } = failure;
  return new ErrorClass(known(errorResponse(name, call, config, failure, outcome)), {
    ...response,
    code,
    errors: fieldErrors(json),
    retryAfterSeconds,
  });
}

const networkErrors = { aborted: AbortError, timeout: TimeoutError, connection: ConnectionError } as const;

/** Once set, `mayHaveCharged` stays: a call cannot clear what an earlier call under its key left open, unless it succeeds. */
const contextOf = (
  { operation, idempotencyKey, resume }: Call,
  { attempts, chargePossible }: Pick<Failure, 'attempts' | 'chargePossible'>,
): ErrorContext => ({ operation, attempts, idempotencyKey, mayHaveCharged: chargePossible || resume });

function networkFailure(
  { timeout, totalTimeout }: Call,
  { baseUrl }: ClientConfig,
  { isTotal }: Failure,
  { why, mayHaveArrived, cause }: TransportFailure,
): string {
  if (why === 'aborted') return 'was aborted by its signal';
  if (why === 'timeout') {
    const limit = isTotal ? `its totalTimeout of ${totalTimeout} ms` : `the timeout of ${timeout} ms`;
    return `received no response within ${limit}`;
  }
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
  const reason = causeIn(cause);
  if (mayHaveArrived) return `received no response: the connection to ${host} broke${reason}`;
  const remedy = notTls.test(reason)
    ? '. What listens there does not speak TLS: check the port, or use http:// in baseUrl on a loopback host'
    : '';
  return `could not connect to ${host}${reason}${remedy}`;
}

/** What Node reports where https:// meets a port of plain http. */
const notTls = /ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/;

function causeIn(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const code: unknown = Reflect.get(inner, 'code');
  return ` (${typeof code === 'string' ? code : inner.message})`;
}

const unusableResponse = (
  { redactor }: ClientConfig,
  { status, redirect }: ReceivedResponse,
  unusable: UnusableResponse | undefined,
): string =>
  redirect === undefined
    ? `returned a ${status} response that cannot be used: ${unusable?.problem ?? 'its body is not as documented'}`
    : `was redirected to ${redactor.text(redirect)}; redirects are not followed, because they would carry the key elsewhere. Set baseUrl to the final address`;

function errorResponse(
  name: ReturnType<typeof errorResponseName>,
  call: Call,
  { baseUrl, clientId, keyName, redactor: { text } }: ClientConfig,
  failure: Failure,
  response: ReceivedResponse,
): string {
  const { status, json, headers } = response;
  const code = codeOf(json);
  const said = field(json, 'message');
  const words =
    typeof said === 'string' && said.trim() !== ''
      ? ` (${text(said.trim(), 300).replace(/[\ud800-\udbff]$|\.$/, '')})`
      : '';
  const allow = headers.get('allow') ?? undefined;
  const facts: FailedCall = {
    operation: call.operation,
    baseUrl,
    clientId,
    keyName,
    idempotencyKey: call.idempotencyKey,
    retryAfterSeconds: failure.retryAfterSeconds,
    allow: allow === undefined ? undefined : text(allow),
    errors: Object.fromEntries(
      Object.entries(fieldErrors(json))
        .slice(0, 20)
        .map(([field, problem]) => [text(field, 100), text(problem, 300)]),
    ),
  };
  const what = `failed with ${status}${code ? ` ${text(code)}` : ''}${words}${originOf(call, response)}`;
  return sentences(call, failure, what, remedyFor(name, status, facts));
}

/** Why an error response may prove nothing: it is not the service's own, or not one that it documents. */
function originOf({ kind }: Call, response: ReceivedResponse): string {
  if (documentedError(response)) return '';
  if (!isErrorEnvelope(response.json))
    return '; the response did not come from the service but from something in between, such as a proxy or a firewall';
  return kind === 'purchase' ? '; the service does not document this combination of status and code' : '';
}

/** Another purchase came back. */
function keyReused(
  { operation }: Call,
  { redactor }: ClientConfig,
  { purchase: { idempotency_key, reference }, differences }: OtherPurchase,
): string {
  const list = differences.map((difference) =>
    describeDifference(difference, (name, value) => shownValue(name, value, redactor)),
  );
  return `${operation} under idempotency_key '${idempotency_key}' returned the purchase ${reference}, which differs from what was asked (${list.join('; ')}). The key was probably used before for another purchase, so it is unknown whether this order was bought. Check reference ${reference} with transactions.status and compare it with your orders before you do anything else; do not buy this order under another key until that is settled.`;
}

/** `errors` of a VALIDATION_FAILED response, as it was sent: field to text. */
function fieldErrors(json: unknown): Record<string, string> {
  const errors = field(json, 'errors');
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, value]) => [name, textOf(value)]));
}

/** A field's text; several texts are joined, and any other value is shown as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value.join('; ');
  try {
    return JSON.stringify(value);
  } catch {
    return '[…]';
  }
}

type Sent = Pick<Failure, 'attempts' | 'chargePossible'> & Partial<Pick<Failure, 'outcome'>>;

function sentences(call: Call, failure: Sent, what: string, remedy = ''): string {
  const after = failure.attempts > 1 ? ` (after ${failure.attempts} attempts)` : '';
  return [`${call.operation} ${what}${after}.`, moneyOf(call, failure), remedy].filter(Boolean).join(' ');
}

/** What the failure means for the money, or for the secret of a subscription. */
function moneyOf({ kind, resume, idempotencyKey }: Call, failure: Sent): string {
  if (kind === 'subscribe')
    return secretMayBeLost(failure)
      ? 'If the service carried it out, its one-time secret is lost: subscribe again and use the newest secret.'
      : '';
  const howToResume = `Retry with idempotency_key '${idempotencyKey}' and the same parameters; the service then returns the original and charges at most once.`;
  if (failure.chargePossible)
    return idempotencyKey === undefined
      ? 'It may have been carried out, and has no idempotency_key to repeat it under: check before you repeat it.'
      : `The wallet may have been debited: the purchase is unknown, not failed. ${howToResume}`;
  if (resume)
    return `This call charged nothing, but the earlier call may have: the purchase is still unknown, not failed. ${howToResume}`;
  return kind === 'purchase' ? 'This call charged nothing.' : '';
}

/** Whether there may be a subscription whose secret was lost. An abort during a wait proves nothing about the attempt before it. */
function secretMayBeLost({ attempts, outcome }: Sent): boolean {
  if (!outcome) return false;
  const abortedInWait = attempts > 0 && outcome.kind === 'failure' && outcome.why === 'aborted';
  return attempts > 1 || abortedInWait || mayHaveTakenEffect(outcome);
}

/**
 * A call whose deadline comes before it can be sent: the pacer would grant it too late, which is like a 429 before it happens, or
 * the process was busy.
 *
 * @param grantInMs - when the pacer would have let it through; undefined without one.
 */
export function unsentInTime(call: Call, grantInMs?: number): BillPayError {
  const unsent = { attempts: 0, chargePossible: false };
  const context = contextOf(call, unsent);
  const { totalTimeout } = call;
  if (grantInMs === undefined) {
    const what = `was not sent: its totalTimeout of ${totalTimeout} ms had passed, because this process was busy or suspended`;
    return new TimeoutError(sentences(call, unsent, what, 'Call again.'), context);
  }
  const retryAfterSeconds = Math.ceil(grantInMs / 1000);
  const what = `was not sent: at the pace that the rate limits allow it can be sent in ${retryAfterSeconds} s, after its totalTimeout of ${totalTimeout} ms`;
  const message = sentences(call, unsent, what, 'Call again later, or set a longer totalTimeout.');
  return new apiErrors.RateLimitError(message, { ...context, code: 'RATE_LIMITED', retryAfterSeconds });
}

/** The error of a call for which the service would respond with 403 (docs/service.md, "Authentication", rule 4). */
export const secretKeyNeeded = (operation: string, what: string = operation): BillPayError =>
  new apiErrors.PermissionError(
    `${what} needs a secret key (sk_…), and this client has a public one (pk_…), which may call catalogues and validate calls only. Nothing was sent.`,
    { operation, code: 'GATEWAY_ERROR' },
  );

/** A `ValidationError` for parameters that were refused before anything was sent. */
export const refusedLocally = (operation: string, errors: Record<string, string>): BillPayError =>
  new apiErrors.ValidationError(`${operation} was not sent: ${textOfErrors(errors)}.`, { operation, errors });

/**
 * Adds the context of a call to an error of its checks, which was made without it: when a call that resumes an unknown purchase is refused
 * before anything is sent, the purchase stays unknown.
 */
export function withContext(error: unknown, context: ErrorContext): unknown {
  if (!(error instanceof BillPayError)) return error;
  // V8 keeps ten frames: without those of the checks, the caller's are among them.
  if ('captureStackTrace' in Error) Error.captureStackTrace(error, withContext);
  return Object.assign(error, context);
}

/**
 * The error of one call for one that its transport threw. A transport may throw the same error at every call, so each call gets a copy:
 * observers fix what it says about the money.
 */
export function refusedByTransport(error: unknown, context: ErrorContext): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const copy = new ConfigurationError(error.option, error.message.slice(error.message.indexOf(': ') + 2));
  const stack = readProperty(error, 'stack');
  return Object.assign(
    stack === undefined ? copy : Object.defineProperty(copy, 'stack', { value: stack }),
    context,
  );
}

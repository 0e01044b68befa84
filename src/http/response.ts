import type * as z from 'zod/mini';
import { compareEcho, noDifferences } from '../contract/echo.js';
import type { Operation } from '../contract/operations.js';
import type { AcceptedPurchase, Purchase, PurchaseDifference } from '../contract/responses.js';
import { patternRedactor, type Redactor } from '../redaction.js';
import { parseJson } from '../utils/exact-json.js';
import { field, isRecord } from '../utils/unknown.js';
import type { AttemptOutcome, BodyFailure, ReceivedResponse } from './transport.js';

/** What a 2xx response means to the caller. */
export type Interpretation<T> =
  | {
      readonly ok: true;
      readonly data: T;
      /** Paths at which the response differs from what is documented. */
      readonly deviations: readonly string[];
      /** What the service echoes differently, within the room that its documents leave. */
      readonly tolerated: readonly PurchaseDifference[];
    }
  | UnusableResponse;

/** A 2xx response that is no result for the caller. */
export interface UnusableResponse {
  readonly ok: false;
  /** Absent where another purchase came back, because the error of a reused key has words of its own. */
  readonly problem?: string;
  /** Whether a repeat would bring the same response. */
  readonly final: boolean;
  /** What can be read of a purchase that was accepted all the same. */
  readonly accepted?: AcceptedPurchase;
  /** The reference that the response names instead of the one that was asked for. */
  readonly otherReference?: string;
  /** The purchase that came back under a key that had been used before. */
  readonly other?: OtherPurchase;
}

/** A purchase that is clearly another one than was asked for. */
export interface OtherPurchase {
  readonly purchase: Purchase;
  /** The fields that show it. */
  readonly differences: readonly PurchaseDifference[];
}

/** What the interpretation of a response depends on. */
export interface ExpectedResponse {
  readonly operation: Operation;
  readonly idempotencyKey: string | undefined;
  /** The parameters of a purchase under the caller's own key: only such a key can have been used before. */
  readonly asked: object | undefined;
  /** The reference that a status check asked for. */
  readonly reference: string | undefined;
}

/** A 2xx. Whether it can be used is decided by `interpret`. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Tells what a 2xx means, together with the response; undefined for any other outcome. Never throws.
 *
 * @param expected - undefined where any JSON is a success, and so is an empty body of a status that has none.
 */
export function interpret(
  expected: ExpectedResponse | undefined,
  outcome: AttemptOutcome,
  redactor: Redactor,
) {
  if (outcome.kind === 'failure' || !isSuccess(outcome.status)) return undefined;
  const meaning = expected ? interpretResponse(expected, outcome, redactor) : interpretJson(outcome);
  return { ...meaning, response: outcome };
}

function interpretJson({ bodyFailure, status, text, json }: ReceivedResponse): Interpretation<unknown> {
  if (bodyFailure) return unreadable(bodyFailure);
  if (json === undefined && !(text === '' && (status === 204 || status === 205)))
    return unusable('its body is not JSON');
  return { ok: true, data: json, deviations: [], tolerated: [] };
}

/** Reads a 2xx response to an operation: its form, its completeness, and whether it is about the purchase that was asked for. */
export function interpretResponse(
  { operation, idempotencyKey, asked, reference }: ExpectedResponse,
  response: ReceivedResponse,
  redactor: Redactor,
): Interpretation<Record<string, unknown>> {
  const parsed = parseResponse(operation, response, redactor);
  if (!parsed.ok) return { ...parsed, ...acceptedIn(response, idempotencyKey) };
  const other = reference === undefined ? undefined : otherReference(response.json, reference);
  if (other !== undefined) {
    return {
      ok: false,
      problem: `it is about another transaction (${redactor.known(other)})`,
      final: true,
      otherReference: other,
    };
  }
  const { data, deviations } = parsed;
  if (idempotencyKey !== undefined) data['idempotency_key'] = idempotencyKey;
  const { conflicts, tolerated } =
    asked && operation.product ? compareEcho(operation.product, asked, data) : noDifferences;
  if (conflicts.length > 0) {
    // `parseResponse` has ensured its reference.
    const purchase = data as unknown as Purchase;
    return { ok: false, final: true, other: { purchase, differences: conflicts } };
  }
  if (tolerated.length > 0) data['differences'] = tolerated;
  return { ok: true, data, deviations, tolerated };
}

/** What can be read of an accepted purchase whose response cannot be used, such as one that was cut off: its reference is never lost sight of. */
function acceptedIn(
  { text }: ReceivedResponse,
  idempotencyKey: string | undefined,
): { readonly accepted?: AcceptedPurchase } {
  const reference = /"reference"\s*:\s*"([^"\\\s]{1,200})"/.exec(text)?.[1];
  return reference !== undefined && idempotencyKey !== undefined
    ? { accepted: { reference, idempotency_key: idempotencyKey } }
    : {};
}

/** What parsing needs to know of an operation. */
type ResultRules = Pick<Operation, 'responseSchema' | 'envelope' | 'requiredPaths'>;

/**
 * Reads a success as its operation documents it. What a caller cannot do without is enforced; numbers that come as
 * text, and references that come as numbers, are converted; any other deviation is only reported.
 */
export function parseResponse(
  rules: ResultRules,
  response: ReceivedResponse,
  redactor: Redactor = patternRedactor,
): Interpretation<Record<string, unknown>> {
  if (response.bodyFailure) return unreadable(response.bodyFailure);
  if (response.json === undefined) return unusable(`its body is not JSON${kindOfBody(response, redactor)}`);
  const body = response.json;
  if (!isRecord(body)) return unusable('its body is not a JSON object');
  if (rules.envelope !== 'acceptance' && body['status'] === 'error') return unusable('its body is an error');
  const checked = rules.responseSchema().safeParse(body);
  if (checked.success)
    return { ok: true, data: resultIn(rules, Object(checked.data)), deviations: [], tolerated: [] };

  // Parsed again rather than cloned: a clone overflows the stack at depths that the parser accepts.
  const converted: Record<string, unknown> = { ...Object(parseJson(response.text)) };
  const deviations: string[] = [];
  for (const issue of checked.error.issues) {
    const path = issue.path.map(String);
    if (!coerceField(converted, path, issue) && isRequired(path, rules.requiredPaths)) {
      return unusable(`it has no usable ${path.join('.')}`);
    }
    deviations.push(path.join('.'));
  }
  return { ok: true, data: resultIn(rules, converted), deviations, tolerated: [] };
}

/** A repeat of the request may bring a better response. */
const unusable = (problem: string): UnusableResponse => ({ ok: false, problem, final: false });

const bodyFailureText: Record<BodyFailure['why'], string> = {
  incomplete: 'was cut off',
  'too-large': 'is larger than the 10 MiB that are read',
  'unsupported-encoding': 'is in an encoding that was not requested',
};

const unreadable = ({ why }: BodyFailure): UnusableResponse => unusable(`its body ${bodyFailureText[why]}`);

const maxTypeLength = 80;

const kindOfBody = ({ headers, text }: ReceivedResponse, redactor: Redactor): string => {
  // A header may contain anything, and this text is printed.
  const type = redactor.text(headers.get('content-type')?.split(';', 1)[0] ?? '');
  const shown = type.length > maxTypeLength ? `${type.slice(0, maxTypeLength)}…` : type;
  return text === '' ? ' (it is empty)' : shown && ` (${shown})`;
};

/** A problem at a path, or above it, makes a required value unreachable. */
function isRequired(path: readonly string[], required: readonly string[]): boolean {
  return required.some((pattern) => {
    const steps = pattern.split('.');
    return path.every((step, at) => steps[at] === '*' || steps[at] === step);
  });
}

const numeric = /^-?\d+(\.\d+)?$/;

/** Converts `"1000.00"` where a number is documented, and `12345` where text is; false where it cannot. */
function coerceField(body: unknown, path: readonly string[], issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type') return false;
  const last = path.at(-1) ?? '';
  const parent: object = Object(path.slice(0, -1).reduce(field, body));
  const value = field(parent, last);
  if (issue.expected === 'number' && typeof value === 'string' && numeric.test(value.trim())) {
    return Reflect.set(parent, last, Number(value));
  }
  if (issue.expected === 'string' && Number.isSafeInteger(value)) {
    return Reflect.set(parent, last, String(value));
  }
  return false;
}

/** The caller's result inside the envelope, undocumented fields included. It is taken out of `body`, which must be a copy of its own. */
function resultIn(
  { envelope }: ResultRules,
  { status, ...result }: Record<string, unknown>,
): Record<string, unknown> {
  if (envelope === 'flat') return result;
  const data: Record<string, unknown> = Object(result['data']);
  // An accepted purchase without a state is not final, which is what pending means.
  if (envelope === 'acceptance') data['status'] = status ?? 'pending';
  return data;
}

/**
 * The reference that a status response names instead of the one that was asked for; undefined when it names that one, or none. A cache that
 * ignores the query, or a proxy that mixes up responses, gives the state of another transaction.
 */
function otherReference(body: unknown, asked: string): string | undefined {
  const reference = field(field(body, 'data'), 'reference');
  const text = typeof reference === 'number' ? String(reference) : reference;
  return typeof text === 'string' && text !== '' && text !== asked ? text : undefined;
}

import { compareEcho } from '../contract/echo.js';
import type { Operation } from '../contract/operations.js';
import type { Purchase } from '../contract/responses.js';
import type { Redactor } from '../redaction/redactor.js';
import { field } from '../utils/field.js';
import type { Interpretation } from './interpretation.js';
import { otherReference } from './other-reference.js';
import type { ReceivedResponse } from './outcome.js';
import { parseResponse } from './parse-response.js';

/** What the interpretation of a response depends on. */
export interface ExpectedResponse {
  readonly operation: Operation;
  readonly idempotencyKey: string | undefined;
  /** The parameters of a purchase under the caller's own key: only such a key can have been used before. */
  readonly asked: object | undefined;
  /** The reference that a status lookup asked for. */
  readonly reference: string | undefined;
  readonly strict: boolean;
  readonly redactor: Redactor;
}

/** Reads a 2xx response to an operation: its form, its completeness, and whether it is about the purchase that was asked for. */
export function interpretResponse(
  { operation, idempotencyKey, asked, reference, strict, redactor }: ExpectedResponse,
  response: ReceivedResponse,
): Interpretation<Record<string, unknown>> {
  const parsed = parseResponse(operation, response, redactor);
  if (!parsed.ok) return parsed;
  const other = reference === undefined ? undefined : otherReference(response.json, reference);
  if (other !== undefined) {
    return {
      ok: false,
      problem: `it is about another transaction (${redactor.identifier(other)})`,
      final: true,
    };
  }
  const { deviations } = parsed;
  const data =
    idempotencyKey === undefined ? parsed.data : { ...parsed.data, idempotency_key: idempotencyKey };
  const purchase = isPurchase(data) ? data : undefined;
  const { conflicts, tolerated } =
    asked && purchase && operation.product
      ? compareEcho(operation.product, asked, purchase)
      : { conflicts: [], tolerated: [] };
  if (purchase && conflicts.length > 0) {
    return {
      ok: false,
      problem: 'it is about another purchase',
      final: true,
      purchase,
      differences: conflicts,
    };
  }
  if (strict && deviations.length > 0) {
    return {
      ok: false,
      problem: `strictResponses is on, and it differs from what is documented in ${deviations.join(', ')}`,
      final: true,
      ...(purchase && { purchase }),
    };
  }
  const result = tolerated.length === 0 ? data : { ...data, differences: tolerated };
  return { ok: true, data: result, deviations, tolerated };
}

/** `parseResponse` has ensured the reference of a purchase, and its key was added here. */
const isPurchase = (data: unknown): data is Purchase =>
  typeof field(data, 'reference') === 'string' && typeof field(data, 'idempotency_key') === 'string';

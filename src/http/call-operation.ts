import {
  type Operation,
  type OperationName,
  operations,
  type ParamsOf,
  type ResultOf,
} from '../contract/operations.js';
import type { Purchase } from '../contract/responses.js';
import { validateParams } from '../contract/validate-params.js';
import { PermissionError } from '../errors/auth-errors.js';
import type { BillPayError } from '../errors/base.js';
import { ValidationError } from '../errors/request-errors.js';
import { IdempotencyKeyReusedError } from '../errors/response-errors.js';
import type { CallOptions } from '../options.js';
import { type ClientConfig, resolveCallOptions } from '../resolve-options.js';
import { ApiCall } from './api-call.js';
import { mask } from './attempt-log.js';
import { buildRequest } from './build-request.js';
import { type PreparedCall, runCallLoop, type Verdict } from './call-loop.js';
import { differsFromAsked } from './idempotency-echo.js';
import { field, type ReceivedResponse } from './outcome.js';
import { parseResponse } from './parse-response.js';
import { type SerialisedObject, serialiseOnce } from './serialise.js';

/** Makes calls of documented operations. What resources are written with. */
export interface CallOperation {
  <N extends OperationName>(name: N, params: ParamsOf<N>, options?: CallOptions): ApiCall<ResultOf<N>>;
  /** Throws what such a call would be refused for before anything is sent. */
  check<N extends OperationName>(name: N, params: ParamsOf<N>): void;
}

/** A caller bound to one client's options. */
export function createCallOperation(client: ClientConfig): CallOperation {
  const call = <N extends OperationName>(name: N, params: ParamsOf<N>, options?: CallOptions) =>
    new ApiCall(callOperation(client, name, params, options));
  return Object.assign(call, {
    check: <N extends OperationName>(name: N, params: ParamsOf<N>) => {
      checkedParams(client, name, params);
    },
  });
}

async function callOperation<N extends OperationName>(
  client: ClientConfig,
  name: N,
  given: ParamsOf<N>,
  callOptions: CallOptions | undefined,
) {
  const operation: Operation = operations[name];
  const chosen = checkedParams(client, name, given);
  const options = resolveCallOptions(callOptions, client);
  const { text, fields } =
    operation.kind === 'purchase' && !('idempotency_key' in chosen.fields)
      ? serialisedParams(name, { ...chosen.fields, idempotency_key: crypto.randomUUID() })
      : chosen;
  const idempotencyKey = operation.kind === 'purchase' ? textIn(fields, 'idempotency_key') : undefined;
  const recipient = textIn(fields, 'recipient');
  const call: PreparedCall<ResultOf<N>> = {
    operation: name,
    kind: operation.kind,
    path: operation.path,
    wire: buildRequest(client, options, {
      method: operation.method,
      path: operation.path,
      query:
        operation.method === 'GET'
          ? Object.entries(fields).map(([field, value]) => [field, String(value)])
          : [],
      body: text,
    }),
    idempotencyKey,
    options,
    recipient: recipient === undefined ? undefined : mask(recipient),
    read: (answer) => read<N>(operation, answer, idempotencyKey, client.strictResponses),
    verify: (data, attempts) =>
      'idempotency_key' in chosen.fields && operation.product && isPurchase(data)
        ? reusedKey(name, operation.product, fields, data, attempts)
        : undefined,
  };
  return runCallLoop(call, client);
}

/** Refused here, before anything is sent: the service would answer 403 (service.md, "Authentication", rule 4). */
export function needSecretKey(client: ClientConfig, operation: string, what: string = operation): void {
  if (client.keyKind === 'secret') return;
  throw new PermissionError(
    `${what} needs a secret key (sk_…), and this client has a public one (pk_…), which may call catalogues and validate calls only. Nothing was sent.`,
    { operation, code: 'GATEWAY_ERROR' },
  );
}

/** The caller's parameters, checked and serialised; throws what the call would be refused for. */
function checkedParams(client: ClientConfig, name: OperationName, given: unknown): SerialisedObject {
  const operation: Operation = operations[name];
  if (operation.requiredKey === 'secret') needSecretKey(client, name);
  const checked = validateParams(operation.paramsSchema, given);
  if (!checked.ok) throw refusedLocally(name, checked.errors);
  return serialisedParams(name, checked.params);
}

/**
 * Serialises parameters and checks the copy that was parsed from the text. The check before this one read the caller's
 * object, because JSON loses an `undefined` key, NaN and Infinity; this one reads what is sent.
 */
function serialisedParams(name: OperationName, params: unknown): SerialisedObject {
  const operation: Operation = operations[name];
  const serialised = serialiseOnce(params);
  if (!serialised.ok) throw refusedLocally(name, { params: serialised.problem });
  const checked = validateParams(operation.paramsSchema, serialised.fields);
  if (!checked.ok) throw refusedLocally(name, checked.errors);
  return serialised;
}

/** A `ValidationError` for what was found before anything was sent. */
export function refusedLocally(operation: string, errors: Record<string, string>): ValidationError {
  const list = Object.entries(errors).map(([field, text]) => `${field} ${text}`);
  return new ValidationError(`${operation} was not sent: ${list.join('; ')}.`, { operation, errors });
}

function read<N extends OperationName>(
  operation: Operation,
  answer: ReceivedResponse,
  idempotencyKey: string | undefined,
  strict: boolean,
): Verdict<ResultOf<N>> {
  const reading = parseResponse(operation, answer);
  if (!reading.ok) return { ok: false, problem: reading.problem, final: false };
  const { data, deviations } = reading;
  const complete = idempotencyKey === undefined ? data : { ...data, idempotency_key: idempotencyKey };
  if (strict && deviations.length > 0) {
    return {
      ok: false,
      problem: `strictResponses is on, and it differs from what is documented in ${deviations.join(', ')}`,
      final: true,
      ...(isPurchase(complete) && { purchase: complete }),
    };
  }
  return { ok: true, data: asResult<N>(complete), deviations };
}

/** Where the wire becomes a type: the reader has held it to the schema, and told every difference. */
const asResult = <N extends OperationName>(data: Record<string, unknown>) => data as unknown as ResultOf<N>;

const textIn = (fields: SerialisedObject['fields'], name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** The reader enforces a purchase's reference, and the key is put in here. */
const isPurchase = (data: unknown): data is Purchase =>
  typeof field(data, 'reference') === 'string' && typeof field(data, 'idempotency_key') === 'string';

function reusedKey(
  operation: string,
  product: string,
  asked: object,
  purchase: Purchase,
  attempts: number,
): BillPayError | undefined {
  const fields = differsFromAsked(product, asked, purchase);
  if (fields.length === 0) return undefined;
  const key = purchase.idempotency_key;
  return new IdempotencyKeyReusedError(
    `${operation} bought nothing: idempotency_key '${key}' had been used for another purchase (${purchase.reference}), which the service gave back; it differs in ${fields.join(' and ')}. Give this order a key of its own.`,
    { operation, attempts, idempotencyKey: key, mayHaveCharged: false, purchase },
  );
}

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
import { type ClientConfig, type ResolvedCallOptions, resolveCallOptions } from '../resolve-options.js';
import { version } from '../version.js';
import { ApiCall } from './api-call.js';
import { mask } from './attempt-log.js';
import { type PreparedCall, runCallLoop, type Verdict } from './call-loop.js';
import { differsFromAsked } from './idempotency-echo.js';
import { field, type ReceivedResponse } from './outcome.js';
import { parseResponse } from './parse-response.js';

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
  const params = checkedParams(client, name, given);
  const options = resolveCallOptions(callOptions, client);
  const ownKey = params['idempotency_key'];
  const idempotencyKey =
    operation.kind !== 'purchase' ? undefined : typeof ownKey === 'string' ? ownKey : crypto.randomUUID();
  const recipient = params['recipient'];
  const call: PreparedCall<ResultOf<N>> = {
    operation: name,
    kind: operation.kind,
    path: operation.path,
    wire: wireRequest(client, options, operation.method, operation.path, {
      ...params,
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    }),
    idempotencyKey,
    options,
    recipient: typeof recipient === 'string' ? mask(recipient) : undefined,
    read: (answer) => read<N>(operation, answer, idempotencyKey, client.strictResponses),
    verify: (data, attempts) =>
      typeof ownKey === 'string' && operation.product && isPurchase(data)
        ? reusedKey(name, operation.product, params, data, attempts)
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

function checkedParams(client: ClientConfig, name: OperationName, given: unknown): Record<string, unknown> {
  const operation: Operation = operations[name];
  if (operation.requiredKey === 'secret') needSecretKey(client, name);
  const checked = validateParams(operation.paramsSchema, given);
  if (checked.ok) return { ...Object(checked.params) };
  throw refusedLocally(name, checked.errors);
}

/** A `ValidationError` for what was found before anything was sent. */
export function refusedLocally(operation: string, errors: Record<string, string>): ValidationError {
  const list = Object.entries(errors).map(([field, text]) => `${field} ${text}`);
  return new ValidationError(`${operation} was not sent: ${list.join('; ')}.`, { operation, errors });
}

/** Headers, address and bytes of a request; client_id and the bearer key are put in here and nowhere else. */
export function wireRequest(
  client: ClientConfig,
  options: ResolvedCallOptions,
  method: string,
  path: string,
  fields: Readonly<Record<string, unknown>>,
) {
  const all: Record<string, unknown> = { client_id: client.clientId, ...fields };
  const asQuery = method === 'GET';
  return {
    method,
    url: `${client.baseUrl}${path}${asQuery ? `?${queryOf(all)}` : ''}`,
    headers: {
      accept: 'application/json',
      ...userAgent,
      ...options.headers,
      'content-type': 'application/json',
      authorization: `Bearer ${client.apiKey}`,
    },
    body: asQuery ? undefined : JSON.stringify(all),
  };
}

/** Not in browsers, where it would cost every call a preflight. */
const userAgent = 'document' in globalThis ? {} : { 'user-agent': `billpay-sdk/${version}` };

function queryOf(fields: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
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

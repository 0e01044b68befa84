import { operations } from '../contract/operations.js';
import type { PurchaseOptions } from '../options.js';
import { readProperty } from '../utils/read-property.js';
import { type ApiCall, ApiCallPromise } from './api-call.js';
import { buildRequest } from './build-request.js';
import { checkRequest, type RequestParams } from './check-request.js';
import { type ClientConfig, requireCredentials, resolveCallOptions } from './client-config.js';
import { executeCall } from './execute-call.js';
import type { Interpretation } from './interpretation.js';
import { givenKey, requireSecretKey } from './local-refusal.js';
import type { ReceivedResponse } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';
import { parseJson } from './read-body.js';

const operationName = 'request';

/** Calls an endpoint that has no method of its own, with the same key, checks, retries and errors. */
export function request(
  config: ClientConfig,
  params: RequestParams,
  options?: PurchaseOptions,
): ApiCall<unknown> {
  const result = executeCall(
    config,
    () => ({
      operation: operationName,
      idempotencyKey: givenKey(readProperty(params, 'body')),
      mayHaveCharged: options?.resume === true,
    }),
    () => prepareRequest(config, params, options),
  );
  return new ApiCallPromise(result);
}

function prepareRequest(
  config: ClientConfig,
  params: RequestParams,
  callOptions: PurchaseOptions | undefined,
): PreparedCall<unknown> {
  requireCredentials(config);
  const { method, path, query, body } = checkRequest(operationName, params);
  if (needsSecretKey(method, path))
    requireSecretKey(config, operationName, `${operationName} ${method} ${path}`);
  const key = body?.fields['idempotency_key'];
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  const kind = kindOf(method, idempotencyKey);
  const options = resolveCallOptions(callOptions, config, resumableOf[kind]);
  return {
    operation: operationName,
    kind,
    path,
    wire: buildRequest(config, options, { method, path, query, body: body?.text }),
    idempotencyKey,
    options,
    maskedRecipient: undefined,
    interpret: interpretJson,
  };
}

const resumableOf = { read: 'never', unknown: 'without-key', purchase: 'with-key' } as const;

/** The effect that a repeat may have. */
const kindOf = (method: string, idempotencyKey: string | undefined): keyof typeof resumableOf =>
  method === 'GET' ? 'read' : idempotencyKey === undefined ? 'unknown' : 'purchase';

/** Documented calls by the operations table; with any other a public key may only read. */
function needsSecretKey(method: string, path: string): boolean {
  const known = Object.values(operations).find(
    (operation) => operation.method === method && operation.path === path,
  );
  return known ? known.requiredKey === 'secret' : method !== 'GET';
}

/** Any JSON is a success here, and so is an empty body of a status that has none. */
function interpretJson({ bodyFailure, status, text }: ReceivedResponse): Interpretation<unknown> {
  if (bodyFailure) return { ok: false, problem: 'its body could not be read to its end', final: false };
  if (text === '' && (status === 204 || status === 205)) return usable(undefined);
  const data = parseJson(text);
  return data === undefined ? { ok: false, problem: 'its body is not JSON', final: false } : usable(data);
}

const usable = (data: unknown): Interpretation<unknown> => ({
  ok: true,
  data,
  deviations: [],
  tolerated: [],
});

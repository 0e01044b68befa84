import { foreignBillerProblem } from '../contract/billers.js';
import {
  type Operation,
  type OperationName,
  operations,
  type ParamsOf,
  type ResultOf,
} from '../contract/operations.js';
import { jsonOfParams, readParams } from '../contract/read-params.js';
import type { PurchaseOptions } from '../options.js';
import { readProperty } from '../utils/read-property.js';
import { type ApiCall, ApiCallPromise } from './api-call.js';
import { buildRequest } from './build-request.js';
import { type ClientConfig, requireCredentials, resolveCallOptions } from './client-config.js';
import { executeCall, type UncheckedCall } from './execute-call.js';
import { warnOfSeparators, warnOfUnlistedBiller } from './input-warnings.js';
import { type ExpectedResponse, interpretResponse } from './interpret-response.js';
import type { Interpretation } from './interpretation.js';
import { givenKey, refusedLocally, requireSecretKey } from './local-refusal.js';
import { mask } from './mask.js';
import type { ReceivedResponse } from './outcome.js';
import type { PreparedCall } from './prepared-call.js';

/** Calls documented operations. Resources are written with it. */
export interface CallOperation {
  <N extends OperationName>(name: N, params: ParamsOf<N>, options?: PurchaseOptions): ApiCall<ResultOf<N>>;
  /** Throws what such a call would be refused for before anything is sent. */
  check<N extends OperationName>(name: N, params: ParamsOf<N>): void;
  /** A call that is refused before anything is sent, for what is wrong with it. */
  refuse(call: UncheckedCall, errors: Record<string, string>): ApiCall<never>;
}

/** Binds `callOperation` to one client. */
export function createCallOperation(config: ClientConfig): CallOperation {
  const call = <N extends OperationName>(name: N, params: ParamsOf<N>, options?: PurchaseOptions) =>
    new ApiCallPromise(callOperation(config, name, params, options));
  return Object.assign(call, {
    check: <N extends OperationName>(name: N, params: ParamsOf<N>) => {
      checkedParams(config, name, params);
    },
    refuse: (unchecked: UncheckedCall, errors: Record<string, string>): ApiCall<never> =>
      new ApiCallPromise(
        executeCall<never>(
          config,
          () => unchecked,
          () => {
            throw refusedLocally(unchecked.operation, errors);
          },
        ),
      ),
  });
}

function callOperation<N extends OperationName>(
  config: ClientConfig,
  name: N,
  params: ParamsOf<N>,
  options: PurchaseOptions | undefined,
) {
  const isPurchase = operations[name].kind === 'purchase';
  return executeCall(
    config,
    () => ({
      operation: name,
      idempotencyKey: isPurchase ? givenKey(params) : undefined,
      mayHaveCharged: isPurchase && options?.resume === true,
    }),
    () => prepareCall(config, name, params, options),
  );
}

/** Reads the caller's parameters once, and builds the request from that copy. */
function prepareCall<N extends OperationName>(
  config: ClientConfig,
  name: N,
  params: ParamsOf<N>,
  callOptions: PurchaseOptions | undefined,
): PreparedCall<ResultOf<N>> {
  const operation: Operation = operations[name];
  const isPurchase = operation.kind === 'purchase';
  const chosen = checkedParams(config, name, params);
  const hasOwnKey = 'idempotency_key' in chosen;
  const options = resolveCallOptions(
    callOptions,
    config,
    isPurchase ? (hasOwnKey ? 'with-key' : 'without-key') : 'never',
  );
  const fields = isPurchase && !hasOwnKey ? { ...chosen, idempotency_key: crypto.randomUUID() } : chosen;
  const idempotencyKey = isPurchase ? textIn(fields, 'idempotency_key') : undefined;
  const recipient = textIn(fields, 'recipient');
  if (recipient !== undefined) warnOfSeparators(config, name, recipient);
  const biller = textIn(fields, 'biller');
  if (biller !== undefined && operation.product) {
    warnOfUnlistedBiller(config, name, operation.product, biller);
  }
  const expected: ExpectedResponse = {
    operation,
    idempotencyKey,
    asked: isPurchase && hasOwnKey ? fields : undefined,
    reference: name === 'transactions.status' ? textIn(fields, 'reference') : undefined,
    strict: config.strictResponses,
    redactor: config.redactor,
  };
  return {
    operation: name,
    kind: operation.kind,
    path: operation.path,
    wire: buildRequest(config, options, {
      method: operation.method,
      path: operation.path,
      query:
        operation.method === 'GET'
          ? Object.entries(fields).map(([field, value]) => [field, String(value)])
          : [],
      body: jsonOfParams(fields),
    }),
    idempotencyKey,
    options,
    maskedRecipient: recipient === undefined ? undefined : mask(recipient),
    interpret: (response) => interpretAs<N>(expected, response),
  };
}

/** Where the wire becomes a type: the response was checked against the operation's schema, and every difference was noted. */
const interpretAs = <N extends OperationName>(expected: ExpectedResponse, response: ReceivedResponse) =>
  interpretResponse(expected, response) as unknown as Interpretation<ResultOf<N>>;

/** The checked copy of the caller's parameters; throws what the call would be refused for. */
function checkedParams(config: ClientConfig, name: OperationName, given: unknown): Params {
  const operation: Operation = operations[name];
  requireCredentials(config);
  if (operation.requiredKey === 'secret') requireSecretKey(config, name);
  const read = readParams(operation.paramsSchema, given);
  const biller = readProperty(read.ok ? read.params : given, 'biller');
  const problem = operation.product && foreignBillerProblem(operation.product, biller);
  if (!read.ok || problem) {
    throw refusedLocally(name, { ...(!read.ok && read.errors), ...(problem && { biller: problem }) });
  }
  return read.params as Params;
}

type Params = Readonly<Record<string, unknown>>;

const textIn = (fields: Params, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

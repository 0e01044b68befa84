import { type OperationName, operations, type ParamsOf, type ResultOf } from '../contract/operations.js';
import { BillPayError, type ErrorContext } from '../errors/base.js';
import type { CallInfo, CallRecord, PurchaseOptions } from '../options.js';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import { readProperty } from '../utils/read-property.js';
import { type ApiCall, ApiCallPromise, type CallResult } from './api-promise.js';
import type { ClientConfig, PreparedCall } from './call.js';
import { runCallLoop } from './call-loop.js';
import { refusedLocally, withContext } from './failure.js';
import { checkedParams, prepareCall } from './prepare.js';

/** Calls documented operations. Resources are written with it. */
export interface CallOperation {
  <N extends OperationName>(name: N, params: ParamsOf<N>, options?: PurchaseOptions): ApiCall<ResultOf<N>>;
  /** Throws what such a call would be refused for before anything is sent. */
  check<N extends OperationName>(name: N, params: ParamsOf<N>): void;
  /** A call that is refused before anything is sent, for what is wrong with it. */
  refuse(call: UncheckedCall, errors: Record<string, string>): ApiCall<never>;
}

/** What is known of a call before its parameters have been checked. */
export interface UncheckedCall extends ErrorContext {
  readonly operation: string;
}

/** Binds the calls of documented operations to one client. */
export function createCallOperation(config: ClientConfig): CallOperation {
  const call = <N extends OperationName>(name: N, params: ParamsOf<N>, options?: PurchaseOptions) => {
    const isPurchase = operations[name].kind === 'purchase';
    return executeCall<ResultOf<N>>(
      config,
      () => ({
        operation: name,
        idempotencyKey: isPurchase ? givenKey(params) : undefined,
        mayHaveCharged: isPurchase && options?.resume === true,
      }),
      () => prepareCall(config, name, params, options),
    );
  };
  return Object.assign(call, {
    check: <N extends OperationName>(name: N, params: ParamsOf<N>) => {
      checkedParams(config, name, params);
    },
    refuse: (unchecked: UncheckedCall, errors: Record<string, string>) =>
      executeCall<never>(
        config,
        () => unchecked,
        () => {
          throw refusedLocally(unchecked.operation, errors);
        },
      ),
  });
}

/**
 * Checks a call, sends it, and reports to `onCall` and `aroundCall` how it ended.
 *
 * @param unchecked - the context of errors that are found before the call is prepared.
 */
export function executeCall<T>(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => PreparedCall,
): ApiCall<T> {
  // By default nobody observes, and a record costs time.
  const run = config.onCall || config.aroundCall ? observed : unobserved;
  // Where the wire becomes a type: the response was checked against the schema of the operation, and every difference was noted.
  return new ApiCallPromise(run(config, unchecked, prepare) as Promise<CallResult<T>>);
}

async function unobserved(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => PreparedCall,
): Promise<CallResult<unknown>> {
  const prepared = prepareOrFail(unchecked, prepare);
  if ('error' in prepared) throw prepared.error;
  return await runCallLoop(prepared.call, config);
}

/** The caller's own idempotency_key, for the context of an error; undefined where there is none or it cannot be read. */
export function givenKey(params: unknown): string | undefined {
  const key = readProperty(params, 'idempotency_key');
  return typeof key === 'string' ? key : undefined;
}

async function observed(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => PreparedCall,
): Promise<CallResult<unknown>> {
  const startedAt = performance.now();
  const prepared = prepareOrFail(unchecked, prepare);
  const info = infoOf(config, 'call' in prepared ? prepared.call : unchecked());
  let report: (record: CallRecord) => void = () => {};
  const record = new Promise<CallRecord>((resolve) => {
    report = resolve;
  });
  const end = (how: Pick<CallRecord, 'attempts' | 'outcome' | 'error'>) => {
    const ended = Object.freeze({ ...info, durationMs: performance.now() - startedAt, ...how });
    if (how.error) fixMoneyFields(how.error);
    callSafely(
      () => config.onCall?.(ended),
      (error) => reportThrown('onCall', error),
    );
    report(ended);
  };
  const reportThrown = (callback: string, error: unknown) => {
    const name = config.redactor.text(nameOfThrown(error));
    config.logger.error(`billpay ${callback} threw (${name}); the call is not affected`, { ...info });
  };
  const run = async () => {
    try {
      if ('error' in prepared) throw prepared.error;
      const result = await runCallLoop(prepared.call, config);
      end({ attempts: result.attempts, outcome: 'success' });
      return result;
    } catch (error) {
      end(failed(error));
      throw error;
    }
  };
  let running: Promise<CallResult<unknown>> | undefined;
  const start = () => {
    running ??= run();
    return running;
  };
  callSafely(
    () =>
      config.aroundCall?.(info, () => {
        start();
        return record;
      }),
    (error) => reportThrown('aroundCall', error),
  );
  return await start();
}

/** A call that is refused locally is reported as a failed call. */
function prepareOrFail(unchecked: () => UncheckedCall, prepare: () => PreparedCall) {
  try {
    return { call: prepare() };
  } catch (error) {
    return { error: withContext(error, unchecked()) };
  }
}

/** Frozen, because several observers get the same object. */
const infoOf = (
  { baseUrl }: ClientConfig,
  { operation, idempotencyKey }: UncheckedCall | PreparedCall,
): CallInfo => Object.freeze({ operation, baseUrl, ...(idempotencyKey !== undefined && { idempotencyKey }) });

/** An error that is not from this package says nothing about the money. */
const failed = (error: unknown): Pick<CallRecord, 'attempts' | 'outcome' | 'error'> =>
  error instanceof BillPayError
    ? { attempts: error.attempts, outcome: error.mayHaveCharged ? 'unknown' : 'failure', error }
    : { attempts: 0, outcome: 'unknown' };

/** Observers get the error that the caller will decide by, so they must not be able to change what it says about the money. */
function fixMoneyFields(error: BillPayError): void {
  for (const name of ['operation', 'attempts', 'idempotencyKey', 'mayHaveCharged'] as const) {
    Object.defineProperty(error, name, { writable: false, configurable: false });
  }
}

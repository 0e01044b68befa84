import { BillPayError, type ErrorContext } from '../errors/base.js';
import type { CallInfo, CallRecord, PurchaseOptions } from '../options.js';
import { callSafely } from '../utils/functions.js';
import { printAs } from '../utils/print.js';
import { nameOfThrown, readProperty } from '../utils/unknown.js';
import type { Call, ClientConfig } from './call.js';
import { withContext } from './error.js';
import { runCall, type Success } from './loop.js';
import type { ReceivedResponse } from './transport.js';

/** The result of a call, with the response it came from. */
export interface CallResult<T> {
  /** What the promise itself resolves to. */
  readonly data: T;
  /** Status, headers and a body that can still be read. */
  readonly response: Response;
  /** How many requests were sent. */
  readonly attempts: number;
}

/**
 * The promise that every call returns: await it for the result, or `.withResponse()` for the response too.
 *
 * @example
 * ```ts
 * const purchase = await billpay.airtime.purchase(params);
 * const { data, response, attempts } = await billpay.airtime.purchase(params).withResponse();
 * ```
 */
export interface ApiCall<T> extends Promise<T> {
  /** The result with its `Response` and the number of attempts. Rejects with the call's own error, and takes its place. */
  withResponse(): Promise<CallResult<T>>;
}

/** The one implementation of `ApiCall`. */
export class ApiCallPromise<T> extends Promise<T> implements ApiCall<T> {
  readonly #end: Promise<Success>;

  /** `then`, `catch` and `finally` give ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(end: Promise<Success>) {
    // V8 finds the caller's frames for `error.stack` by following promises that have a single reaction, which is an await, a `then` that
    // returns another promise, or the resolving functions themselves.
    super((resolve, reject) => {
      // Where the wire becomes a type: the response was checked against the schema of the operation, and every difference was noted.
      (dataOf(end) as Promise<T>).then(resolve, reject);
    });
    this.#end = end;
    printAs(this, inspected);
  }

  async withResponse(): Promise<CallResult<T>> {
    const data = await this;
    const { response, attempts } = await this.#end;
    return { data, attempts, response: rebuildResponse(response) };
  }
}

/** What `console.log` and `util.inspect` show: never the result, which may hold a token or a secret. */
const inspected = () => 'ApiCall [Promise]';

async function dataOf(end: Promise<Success>): Promise<unknown> {
  return (await end).data;
}

/** Statuses with which a `Response` must not have a body. */
const bodylessStatuses = [204, 205, 304];

/** The status texts that a `Response` accepts; a socket may bring any text. */
const validStatusText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A `Response` that can be read, because the body of the original has been. */
function rebuildResponse({ status, statusText, headers, text, url }: ReceivedResponse): Response {
  const response = new Response(bodylessStatuses.includes(status) ? null : text, {
    status,
    statusText: validStatusText.test(statusText) ? statusText : '',
    headers,
  });
  return Object.defineProperty(response, 'url', { value: url });
}

/** What is known of a call before its parameters have been checked. */
export interface UncheckedCall extends ErrorContext {
  readonly operation: string;
}

/** The context of errors before the call is prepared, with the caller's own key where `keyed` has one that can be read. */
export function unchecked(
  operation: string,
  keyed: unknown,
  options: PurchaseOptions | undefined,
): UncheckedCall {
  const key = readProperty(keyed, 'idempotency_key');
  return {
    operation,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    mayHaveCharged: keyed !== undefined && options?.resume === true,
  };
}

/**
 * Checks a call, sends it, and reports to `onCall` and `aroundCall` how it ended.
 *
 * @param unchecked - the context of errors that are found before the call is prepared.
 */
export function execute<T>(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => Call,
): ApiCall<T> {
  // By default nobody observes, and a record costs time.
  const run = config.onCall || config.aroundCall ? observed : unobserved;
  return new ApiCallPromise<T>(run(config, unchecked, prepare));
}

async function unobserved(config: ClientConfig, unchecked: () => UncheckedCall, prepare: () => Call) {
  let call: Call;
  try {
    call = prepare();
  } catch (error) {
    throw withContext(error, unchecked());
  }
  return await runCall(call, config);
}

async function observed(config: ClientConfig, unchecked: () => UncheckedCall, prepare: () => Call) {
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
      const result = await runCall(prepared.call, config);
      end({ attempts: result.attempts, outcome: 'success' });
      return result;
    } catch (error) {
      end(failed(error));
      throw error;
    }
  };
  let running: Promise<Success> | undefined;
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
function prepareOrFail(unchecked: () => UncheckedCall, prepare: () => Call) {
  try {
    return { call: prepare() };
  } catch (error) {
    return { error: withContext(error, unchecked()) };
  }
}

/** Frozen, because several observers get the same object. */
const infoOf = ({ baseUrl }: ClientConfig, { operation, idempotencyKey }: UncheckedCall | Call): CallInfo =>
  Object.freeze({ operation, baseUrl, ...(idempotencyKey !== undefined && { idempotencyKey }) });

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

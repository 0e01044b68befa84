import { BillPayError, type ErrorContext } from '../errors/base.js';
import type { CallInfo, CallRecord } from '../options.js';
import { callSafely } from '../utils/call-safely.js';
import { nameOfThrown } from '../utils/is-error.js';
import type { CallResult } from './api-call.js';
import { runCallLoop } from './call-loop.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';
import { checkLocally } from './local-refusal.js';
import type { PreparedCall } from './prepared-call.js';

/** What is known of a call before its parameters have been checked. */
export interface UncheckedCall extends ErrorContext {
  readonly operation: string;
}

/** Checks a call, sends it, and reports to `onCall` and `aroundCall` how it ended. */
export async function executeCall<T>(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => PreparedCall<T>,
): Promise<CallResult<T>> {
  // By default nobody observes, and a record costs time.
  return config.onCall || config.aroundCall
    ? await observed(config, unchecked, prepare)
    : await runCallLoop(checkLocally(unchecked, prepare), config);
}

async function observed<T>(
  config: ClientConfig,
  unchecked: () => UncheckedCall,
  prepare: () => PreparedCall<T>,
): Promise<CallResult<T>> {
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
    clientLogger(config).error(`billpay ${callback} threw (${name}); the call is not affected`, { ...info });
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
  let running: Promise<CallResult<T>> | undefined;
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
function prepareOrFail<T>(unchecked: () => UncheckedCall, prepare: () => PreparedCall<T>) {
  try {
    return { call: checkLocally(unchecked, prepare) };
  } catch (error) {
    return { error };
  }
}

/** Frozen, because several observers get the same object. */
const infoOf = (
  { baseUrl }: ClientConfig,
  { operation, idempotencyKey }: UncheckedCall | PreparedCall<unknown>,
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

import { textOfErrors } from '../contract/read-params.js';
import { PermissionError } from '../errors/auth-errors.js';
import { BillPayError, type ErrorContext } from '../errors/base.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { ValidationError } from '../errors/request-errors.js';
import { readProperty } from '../utils/read-property.js';
import type { ClientConfig } from './client-config.js';

/** Refuses a call for which the service would respond with 403 (docs/service.md, "Authentication", rule 4). */
export function requireSecretKey(config: ClientConfig, operation: string, what: string = operation): void {
  if (config.keyKind === 'secret') return;
  throw new PermissionError(
    `${what} needs a secret key (sk_…), and this client has a public one (pk_…), which may call catalogues and validate calls only. Nothing was sent.`,
    { operation, code: 'GATEWAY_ERROR' },
  );
}

/** A `ValidationError` for parameters that were refused before anything was sent. */
export function refusedLocally(operation: string, errors: Record<string, string>): ValidationError {
  return new ValidationError(`${operation} was not sent: ${textOfErrors(errors)}.`, { operation, errors });
}

/**
 * Runs the checks of a call before anything is sent, and adds the call's context to their errors: when a call that resumes a doubtful
 * sale is refused here, the sale stays in doubt.
 */
export function checkLocally<T>(context: () => ErrorContext, checks: () => T): T {
  try {
    return checks();
  } catch (error) {
    // V8 keeps ten frames: without those of the checks, the caller's are among them.
    if (error instanceof BillPayError && 'captureStackTrace' in Error) {
      Error.captureStackTrace(error, checkLocally);
    }
    throw withContext(error, context());
  }
}

/** Adds the context of a call to an error of this package that was made without it, and gives the error. */
export function withContext(error: unknown, context: ErrorContext): unknown {
  return error instanceof BillPayError ? Object.assign(error, context) : error;
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

/** The caller's own idempotency_key, for the context of an error; undefined where there is none or it cannot be read. */
export function givenKey(params: unknown): string | undefined {
  try {
    const key: unknown = Reflect.get(Object(params), 'idempotency_key');
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

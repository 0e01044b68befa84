import { PermissionError } from '../errors/auth-errors.js';
import { BillPayError, type ErrorContext } from '../errors/base.js';
import { ValidationError } from '../errors/request-errors.js';
import type { ClientConfig } from './client-config.js';

/** Refuses what the service would answer with 403 (service.md, "Authentication", rule 4). */
export function requireSecretKey(config: ClientConfig, operation: string, what: string = operation): void {
  if (config.keyKind === 'secret') return;
  throw new PermissionError(
    `${what} needs a secret key (sk_…), and this client has a public one (pk_…), which may call catalogues and validate calls only. Nothing was sent.`,
    { operation, code: 'GATEWAY_ERROR' },
  );
}

/** A `ValidationError` for parameters that were refused before anything was sent. */
export function refusedLocally(operation: string, errors: Record<string, string>): ValidationError {
  const list = Object.entries(errors).map(([field, text]) => `${field} ${text}`);
  return new ValidationError(`${operation} was not sent: ${list.join('; ')}.`, { operation, errors });
}

/**
 * Runs the checks of a call that come before anything is sent. Their errors get the call's context: a call that resumes a doubtful sale
 * and is refused here leaves that sale as doubtful as it was.
 */
export function checkLocally<T>(context: () => ErrorContext, checks: () => T): T {
  try {
    return checks();
  } catch (error) {
    if (error instanceof BillPayError) {
      Object.assign(error, context());
      // Without the frames of the checks, which would push the caller's out of the ten that are kept.
      if ('captureStackTrace' in Error) Error.captureStackTrace(error, checkLocally);
    }
    throw error;
  }
}

/** The key that a caller gave, for the context of an error; undefined where there is none to read. */
export function givenKey(params: unknown): string | undefined {
  try {
    const key: unknown = Reflect.get(Object(params), 'idempotency_key');
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

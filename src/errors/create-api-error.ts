import * as classes from './api-errors.js';
import { errorResponseName } from './error-responses.js';

/** The union of what the constructors of all classes take. */
export interface ApiErrorContext extends classes.ResponseContext {
  errors?: Record<string, string> | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The class of an error response. */
export type ApiErrorClass = new (message: string, context: ApiErrorContext) => classes.ApiError;

/** The class for an error response, by its status and code. */
export const apiErrorClass = (status: number, code: string | undefined): ApiErrorClass =>
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: any response may come, so every class is needed here.
  classes[errorResponseName(status, code)];

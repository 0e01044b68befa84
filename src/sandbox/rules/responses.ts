import type { FieldErrors } from '../../contract/read-params.js';
import type { ServiceErrorCode } from '../../contract/vocabulary.js';

/** One HTTP response, before it is put on a wire. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text unchanged. */
  readonly body: unknown;
}

const json = { 'content-type': 'application/json' };

export const success = (status: number, body: object): HttpResponse => ({ status, headers: json, body });

/** The error envelope (docs/service.md, "Errors"). `NOT_FOUND` is this sandbox's word: the 404's code is not documented. */
export const failure = (
  status: number,
  code: ServiceErrorCode | 'NOT_FOUND' | 'PAYLOAD_TOO_LARGE',
  message: string,
): HttpResponse => ({ status, headers: json, body: { status: 'error', code, message } });

export const invalid = (errors: FieldErrors): HttpResponse => ({
  status: 422,
  headers: json,
  body: {
    status: 'error',
    code: 'VALIDATION_FAILED',
    message: 'Some fields are missing or invalid.',
    errors,
  },
});

export const methodNotAllowed = (allow: string): HttpResponse => ({
  status: 405,
  headers: { ...json, allow },
  body: {
    status: 'error',
    code: 'METHOD_NOT_ALLOWED',
    message: `This endpoint takes ${allow} only.`,
  },
});

export const rateLimited = (retryAfterSeconds: number): HttpResponse => ({
  status: 429,
  headers: { ...json, 'retry-after': String(retryAfterSeconds) },
  body: {
    status: 'error',
    code: 'RATE_LIMITED',
    message: `Too many requests. Retry after ${retryAfterSeconds} seconds.`,
    retry_after_seconds: retryAfterSeconds,
  },
});

/** The page of a proxy in front of the service that gives up. */
export const proxyPage = (status = 502): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} Bad Gateway</title></head><body><h1>${status} Bad Gateway</h1></body></html>`,
});

/** Statuses whose responses have no body. */
export const isBodiless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** The bytes of a response's body, as text. */
export function bodyText({ status, body }: HttpResponse): string {
  if (isBodiless(status)) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

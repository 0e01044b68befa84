import type { FieldErrors } from '../../contract/read-params.js';
import type { ServiceErrorCode } from '../../errors/error-responses.js';
import type { Transaction } from './transactions.js';

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
  fields: object = {},
  headers: HttpResponse['headers'] = {},
): HttpResponse => ({
  status,
  headers: { ...json, ...headers },
  body: { status: 'error', code, message, ...fields },
});

export const invalid = (errors: FieldErrors): HttpResponse =>
  failure(422, 'VALIDATION_FAILED', 'Some fields are missing or invalid.', { errors });

export const methodNotAllowed = (allow: string): HttpResponse =>
  failure(405, 'METHOD_NOT_ALLOWED', `This endpoint takes ${allow} only.`, {}, { allow });

export function rateLimited(seconds: number): HttpResponse {
  const message = `Too many requests. Retry after ${seconds} seconds.`;
  const headers = { 'retry-after': String(seconds) };
  return failure(429, 'RATE_LIMITED', message, { retry_after_seconds: seconds }, headers);
}

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

/** What a recipient of the lab's list makes the service do. */
export type TriggerEffect =
  | 'settles as failed'
  | 'stays pending'
  | 'provider unavailable'
  | 'validation cannot confirm'
  | 'response lost'
  | 'slow'
  | 'error after the debit'
  | 'proxy page'
  | 'queue unavailable';

/** What working on a request led to. */
export interface WorkResult {
  readonly response: HttpResponse;
  readonly transaction?: Transaction;
  /** Whether it repeated a key, and so charged nothing. */
  readonly replayed?: boolean;
  /** The response is lost on its way. */
  readonly closed?: boolean;
}

/** A request that was admitted. */
export interface Work {
  /** Whether it is a purchase under a new key: a trigger may hold it. */
  readonly isNew: boolean;
  run(): WorkResult;
  /** Called when the response has been made. */
  end(): void;
}

export const done = (result: WorkResult): Work => ({
  isNew: false,
  run: () => result,
  end: () => undefined,
});

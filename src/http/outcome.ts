import type { OperationKind } from '../contract/operations.js';
import { field } from '../utils/field.js';
import type { BodyFailure, TransportFailure } from './transport.js';

export type { BodyFailure, TransportFailure } from './transport.js';

/**
 * What kind of call it is. `unknown` is a writing call through `request()` without an idempotency_key: nothing tells
 * what a repeat of it would do.
 */
export type CallKind = OperationKind | 'unknown';

/** A response came: at least its status and headers. */
export interface ReceivedResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Headers;
  /** The body as text, as far as it came. */
  readonly text: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
  /** Why the body could not be read to its end; undefined when it could. */
  readonly bodyFailure?: BodyFailure;
  /** The target of a redirect. */
  readonly redirect?: string;
}

/** How one attempt ended. */
export type AttemptOutcome = ReceivedResponse | TransportFailure;

/** The `code` of a response; undefined where there is none. It may hold anything: redact it before it is printed. */
export function codeOf(json: unknown): string | undefined {
  const code = field(json, 'code');
  return typeof code === 'string' && code !== '' ? code : undefined;
}

/** The service's error envelope (service.md, "Errors"); undefined for anything else, such as a page of a proxy. */
export function errorEnvelope(
  json: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const code = field(json, 'code');
  const message = field(json, 'message');
  return field(json, 'status') === 'error' && typeof code === 'string' && typeof message === 'string'
    ? { code, message }
    : undefined;
}

/** A 2xx: whether it can be used is for the reader to say. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A 3xx: followed, it would carry the key to another origin. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Where a redirect points to, by its `location`. */
export const redirectTarget = (location: string | null): string => location ?? 'a place it does not name';

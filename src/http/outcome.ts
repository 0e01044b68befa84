import type { OperationKind } from '../contract/operations.js';
import { field } from '../utils/field.js';
import type { BodyFailure, TransportFailure } from './transport.js';

export type { BodyFailure, TransportFailure } from './transport.js';

/**
 * The kind of a call. `unknown` is a writing call through `request()` without an idempotency_key: the effect of a repeat is not
 * known.
 */
export type CallKind = OperationKind | 'unknown';

/** A response was received, at least its status and headers. */
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

/** The service's error envelope (docs/service.md, "Errors"); undefined for anything else, such as a page of a proxy. */
export function errorEnvelope(
  json: unknown,
): { readonly code: string; readonly message: string } | undefined {
  const code = field(json, 'code');
  const message = field(json, 'message');
  return field(json, 'status') === 'error' && typeof code === 'string' && typeof message === 'string'
    ? { code, message }
    : undefined;
}

/** A 2xx. Whether it can be used is decided by `interpretResponse`. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A 3xx: followed, it would carry the key to another origin. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** The target of a redirect, by its `location` header. */
export const redirectTarget = (location: string | null): string => location ?? 'a place it does not name';

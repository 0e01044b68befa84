import type { WireRequest } from './attempt.js';
import type { Answer } from './outcome.js';

/**
 * Where a `fetch` keeps the transport that it is made from. Through it the core does without Response, Headers and
 * AbortController, and learns what fetch has no words for: whether any byte of the request left. By name, because the
 * ESM and CommonJS copies of this package may meet.
 */
export const transportKey: unique symbol = Symbol.for('billpay.transport');

/** The head of an answer. */
export interface Head {
  readonly status: number;
  readonly statusText: string;
  /** Names and values by turns, repeated ones too, as they came. */
  readonly rawHeaders: readonly string[];
}

/** How a flight ended: with an answer, its text as far as it came; or without. */
export type Landing =
  | { readonly head: Head; readonly text: string; readonly broken?: Answer['broken'] }
  | { readonly head?: undefined; readonly error: unknown };

/** A request under way. */
export interface Flight {
  /** Whether any byte of the request may have left this machine. */
  readonly mayHaveLeft: boolean;
  /** The head of the answer, as soon as it has come. */
  readonly head: Head | undefined;
  /** Ends it at once, and its connection. It does not land any more. */
  cancel(): void;
}

/**
 * Sends a request and tells, once and not before it has returned, how it ended. Redirects land as they are, bodies are
 * read up to the cap. Throws `ConfigurationError` for what it cannot send at all.
 */
export type Transport = (request: WireRequest, land: (landing: Landing) => void) => Flight;

/** The transport behind a `fetch`, where it has one. */
export function transportOf(fetch: typeof globalThis.fetch | undefined): Transport | undefined {
  const transport: unknown = fetch && Reflect.get(fetch, transportKey);
  return isTransport(transport) ? transport : undefined;
}

const isTransport = (value: unknown): value is Transport => typeof value === 'function';

import { parseJson } from '../utils/exact-json.js';
import { errorCodeOf, networkTimeoutMs } from './network-checks.js';

/** How one request ended. */
export type Probe = ProbeResponse | { readonly kind: 'failure'; readonly code: string };

/** A response to a request of the doctor. */
export interface ProbeResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
  /** When the request was sent and when its response had arrived, in ms since 1970. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Sends one request, without following redirects. */
export async function probe(url: string, init: RequestInit): Promise<Probe> {
  const sentAt = Date.now();
  try {
    const signal = AbortSignal.timeout(networkTimeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const { status, headers } = response;
    const json = parseJson(await response.text());
    return { kind: 'response', status, headers, json, sentAt, receivedAt: Date.now() };
  } catch (error) {
    return { kind: 'failure', code: errorCodeOf(error) };
  }
}

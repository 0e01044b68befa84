import type { OperationName } from '../../../contract/operations.js';
import type { Product } from '../../../contract/vocabulary.js';
import type { Json } from '../../control/types.js';

/** The sandbox that serves the page: its control API, and its service as any client calls it. */

/** A request that failed, with a sentence to show. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ApiOptions {
  /** Where the sandbox is (default: where the page is). */
  readonly origin?: string;
  /** The control token, where the person has entered one. */
  readonly token?: () => string | undefined;
  /** Called when a request is refused for want of the right token. */
  readonly onTokenNeeded?: () => void;
}

export type Api = ReturnType<typeof createApi>;

export function createApi({ origin = '', token, onTokenNeeded }: ApiOptions = {}) {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const given = token?.();
    if (given !== undefined) headers.set('authorization', `Bearer ${given}`);
    const response = await fetch(`${origin}/_sandbox${path}`, { ...init, headers }).catch(
      (error: unknown) => {
        throw init.signal?.aborted ? error : new ApiError(0, 'The sandbox cannot be reached.');
      },
    );
    if (response.ok) return response;
    if (response.status === 401) onTokenNeeded?.();
    throw new ApiError(response.status, await problemText(response));
  };
  /** A response whose body the caller reads, such as the event stream. */
  const open = (path: string, signal: AbortSignal): Promise<Response> => request(path, { signal });
  /** `T` is the type of the code API. */
  const get = async <T>(path: string): Promise<Json<T>> => (await request(path, {})).json();
  const send = async <T>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object = {},
  ): Promise<Json<T>> => {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await request(path, init)).json();
  };
  const post = <T = unknown>(path: string, body?: object): Promise<Json<T>> => send<T>('POST', path, body);
  return { open, get, send, post };
}

/** The `detail` of a JSON problem, else what can be said without one. */
async function problemText(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'detail' in problem) return String(problem.detail);
  return `The sandbox responded with ${response.status}.`;
}

/** A call of the service. */
export interface ServiceCall {
  readonly operation: OperationName | undefined;
  readonly method: string;
  /** With the prefix of the service. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the service responded; neither where the connection closed. */
export interface ServiceResponse {
  readonly status?: number;
  readonly body?: unknown;
}

/** A purchase or a validate call in the name of a client; a purchase without an idempotency_key gets a new one. */
export function serviceCall(
  product: Product,
  call: 'purchase' | 'validate',
  clientId: string,
  params: Readonly<Record<string, unknown>>,
): ServiceCall {
  const key = call === 'purchase' ? { idempotency_key: crypto.randomUUID() } : {};
  return {
    operation: `${product}.${call}` as OperationName,
    method: 'POST',
    path: `/api/v1/${product}/${call}`,
    query: {},
    body: { client_id: clientId, ...key, ...params },
  };
}

/** The header by which the page finds its own calls in the log. */
export const markHeader = 'x-sandbox-page-call';

/** Calls the service with a key, as a program does. A connection that closes is a result like any other. */
export async function callService(
  { method, path, query, body }: ServiceCall,
  key: string | undefined,
  mark: string,
): Promise<ServiceResponse> {
  const headers = {
    'content-type': 'application/json',
    [markHeader]: mark,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const search = new URLSearchParams(query).toString();
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  try {
    const response = await fetch(search ? `${path}?${search}` : path, {
      method,
      headers,
      ...(hasBody && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: jsonOf(text) };
  } catch {
    return {};
  }
}

/** JSON that came as text is a value; other text stays text. */
export function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

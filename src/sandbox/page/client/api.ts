import type { OperationName } from '../../../contract/operations.js';
import type { Product } from '../../../contract/vocabulary.js';

/** The service of the sandbox that serves the page, called as any client calls it. */

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

import type { ReceivedResponse, TransportFailure } from '../../src/http/transport.js';

/** An answer as the loop sees it. A string body stays text; anything else is JSON. */
export function responseOf(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): ReceivedResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    kind: 'response',
    status,
    statusText: '',
    url: 'https://service.test/api/v1/x',
    headers: new Headers(headers),
    text,
    json: parsed(text),
  };
}

/** An error in the service's own envelope. */
export const refusal = (status: number, code: string): ReceivedResponse =>
  responseOf(status, { status: 'error', code, message: 'a reason' });

export const noResponse = (why: TransportFailure['why'], mayHaveArrived = true): TransportFailure => ({
  kind: 'failure',
  why,
  mayHaveArrived,
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { CallResult } from './api-call.js';
import type { ReceivedResponse } from './outcome.js';

/** The result of a call. Its `Response` is rebuilt only when it is asked for, because the body of the original has been read. */
export function createCallResult<T>(data: T, received: ReceivedResponse, attempts: number): CallResult<T> {
  let response: Response | undefined;
  return {
    data,
    attempts,
    get response() {
      response ??= rebuildResponse(received);
      return response;
    },
  };
}

/** Statuses with which a `Response` must not have a body. */
const bodylessStatuses = [204, 205, 304];

/** The status texts that a `Response` accepts; a socket may bring any text. */
const validStatusText = /^[\t\x20-\x7e\x80-\xff]*$/;

function rebuildResponse({ status, statusText, headers, text, url }: ReceivedResponse): Response {
  const response = new Response(bodylessStatuses.includes(status) ? null : text, {
    status,
    statusText: validStatusText.test(statusText) ? statusText : '',
    headers,
  });
  return Object.defineProperty(response, 'url', { value: url });
}

import {
  type BodyFailure,
  isRedirect,
  type Transport,
  type TransportFailure,
  type TransportOutcome,
  type TransportResponse,
} from '../http/transport.js';
import { onAbort } from '../utils/wait.js';
import type { Begin } from './connections.js';
import { type Exchange, exchange, type Head } from './exchange.js';

/** Makes the transport: one exchange an attempt, within its bounds. */
export const createAttempt =
  (begin: Begin): Transport =>
  // One promise for everything that may end the attempt: thousands of calls may be in flight, and each promise counts.
  (request, { timeoutMs, signal }) =>
    new Promise((resolve) => {
      let head: Head | undefined;
      const chunks: Uint8Array[] = [];
      const end = (outcome: TransportOutcome) => {
        clearTimeout(timer);
        stopListening();
        resolve(outcome);
      };
      const current = exchange(begin, new URL(request.url), request, {
        onHead(received) {
          head = received;
          if (!isRedirect(received.status)) return;
          current.cancel();
          end(responseOf(received, ''));
        },
        onBytes: (chunk) => chunks.push(chunk),
        onEnd: (whole) => end(responseOf(whole, textOf(chunks))),
        onFailure(error, why) {
          if (!head) return end({ ...failureOf('connection', current), cause: error });
          end(responseOf(head, textOf(chunks), { why, cause: error }));
        },
      });
      const onTimeout = () => {
        current.cancel();
        // An error status is a response, even when its body never ends.
        end(head && head.status >= 400 ? responseOf(head, '') : failureOf('timeout', current));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      const stopListening = onAbort(signal, () => {
        current.cancel();
        end(failureOf('aborted', current));
      });
    });

const failureOf = (why: TransportFailure['why'], { mayHaveLeft }: Exchange): TransportFailure =>
  mayHaveLeft
    ? { kind: 'failure', why, mayHaveArrived: true }
    : { kind: 'failure', why, mayHaveArrived: false, unsent: true };

function responseOf(head: Head, text: string, bodyFailure?: BodyFailure): TransportResponse {
  const { status, statusText } = head;
  const response = { kind: 'response', status, statusText, headers: headersOf(head), text } as const;
  return bodyFailure ? { ...response, bodyFailure } : response;
}

function textOf(chunks: readonly Uint8Array[]): string {
  const text = Buffer.concat(chunks).toString();
  // As `Response.text()` does.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The `Headers` of a head, repeated ones kept. */
function headersOf({ rawHeaders }: Head): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  return headers;
}

import { isRedirect } from '../http/outcome.js';
import type {
  BodyFailure,
  Transport,
  TransportFailure,
  TransportOutcome,
  TransportResponse,
} from '../http/transport.js';
import { onAbort } from '../utils/on-abort.js';
import { type Exchange, exchange } from './exchange.js';
import { type Head, headersOf } from './head.js';
import type { Begin } from './routes.js';

/** What the HTTP core uses instead of the fetch: no Response, no Headers, no signal of its own. */
export const createAttempt =
  (begin: Begin): Transport =>
  (request, { timeoutMs, signal }) =>
    new Promise((resolve) => {
      let head: Head | undefined;
      const chunks: Uint8Array[] = [];
      const end = (outcome: TransportOutcome) => {
        clearTimeout(timer);
        stopListening();
        resolve(outcome);
      };
      const under = exchange(begin, new URL(request.url), request, {
        head(came) {
          head = came;
          if (!isRedirect(came.status)) return;
          under.cancel();
          end(answerOf(came, ''));
        },
        bytes: (chunk) => chunks.push(chunk),
        end: (whole) => end(answerOf(whole, textOf(chunks))),
        broke(error, why) {
          if (!head) return end({ ...unanswered('connection', under), cause: error });
          end(answerOf(head, textOf(chunks), { why, cause: error }));
        },
      });
      const giveUp = () => {
        under.cancel();
        end(unanswered('aborted', under));
      };
      const onTimeout = () => {
        under.cancel();
        // An error status is an answer, even when its body never ends.
        end(head && head.status >= 400 ? answerOf(head, '') : unanswered('timeout', under));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      const stopListening = onAbort(signal, giveUp);
    });

const unanswered = (why: TransportFailure['why'], { mayHaveLeft }: Exchange): TransportFailure =>
  mayHaveLeft
    ? { kind: 'failure', why, mayHaveArrived: true }
    : { kind: 'failure', why, mayHaveArrived: false, unsent: true };

function answerOf(head: Head, text: string, bodyFailure?: BodyFailure): TransportResponse {
  const { status, statusText } = head;
  let headers: Headers | undefined;
  return {
    kind: 'response',
    status,
    statusText,
    // Built only when read: it costs more than the rest of the response.
    get headers() {
      headers ??= headersOf(head);
      return headers;
    },
    text,
    ...(bodyFailure && { bodyFailure }),
  };
}

function textOf(chunks: readonly Uint8Array[]): string {
  const text = Buffer.concat(chunks).toString();
  // As `Response.text()` does.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

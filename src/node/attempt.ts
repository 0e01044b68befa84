import { safeCause } from '../errors/redact.js';
import type { WireRequest } from '../http/attempt.js';
import {
  type AttemptOutcome,
  isRedirect,
  type ReceivedResponse,
  redirectTarget,
  type TransportFailure,
} from '../http/outcome.js';
import { parseJson } from '../http/read-body.js';
import type { Attempt } from '../http/transport.js';
import { onAbort } from '../utils/on-abort.js';
import { type Exchange, exchange } from './exchange.js';
import { type Head, headersOf } from './head.js';
import type { Begin } from './routes.js';

/** What the HTTP core uses instead of the fetch: no Response, no Headers, no signal of its own. */
export const createAttempt =
  (begin: Begin): Attempt =>
  (request, { timeoutMs, signal }) =>
    new Promise((resolve) => {
      let head: Head | undefined;
      const chunks: Uint8Array[] = [];
      const end = (outcome: AttemptOutcome) => {
        clearTimeout(timer);
        stopListening();
        resolve(outcome);
      };
      const under = exchange(begin, new URL(request.url), request, {
        head(came) {
          head = came;
          if (!isRedirect(came.status)) return;
          under.cancel();
          end(answerOf(request, came, ''));
        },
        bytes: (chunk) => chunks.push(chunk),
        end: (whole) => end(answerOf(request, whole, textOf(chunks))),
        broke(error, why) {
          const cause = safeCause(error);
          if (!head) return end({ ...unanswered('connection', under), cause });
          end(answerOf(request, head, textOf(chunks), cause ? { why, cause } : { why }));
        },
      });
      const giveUp = () => {
        under.cancel();
        end({ ...unanswered('aborted', under), cause: signal?.reason });
      };
      const onTimeout = () => {
        under.cancel();
        // An error status is an answer, even when its body never ends.
        end(head && head.status >= 400 ? answerOf(request, head, '') : unanswered('timeout', under));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      const stopListening = onAbort(signal, giveUp);
    });

const unanswered = (why: TransportFailure['why'], { mayHaveLeft }: Exchange): TransportFailure =>
  mayHaveLeft
    ? { kind: 'no-answer', why, mayHaveArrived: true }
    : { kind: 'no-answer', why, mayHaveArrived: false, unsent: true };

function answerOf(
  { url }: WireRequest,
  head: Head,
  text: string,
  broken?: ReceivedResponse['broken'],
): ReceivedResponse {
  const { status, statusText } = head;
  let headers: Headers | undefined;
  return {
    kind: 'answer',
    status,
    statusText,
    url,
    // Made only for those who look: it costs more than the rest of the answer.
    get headers() {
      headers ??= headersOf(head);
      return headers;
    },
    text,
    json: parseJson(text),
    ...(broken && { broken }),
    ...(isRedirect(status) && { redirect: redirectTarget(headersOf(head).get('location')) }),
  };
}

function textOf(chunks: readonly Uint8Array[]): string {
  const text = Buffer.concat(chunks).toString();
  // As `Response.text()` does.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

import { safeCause } from '../errors/redact.js';
import type { AttemptBounds, WireRequest } from './attempt.js';
import { parseJson } from './body.js';
import { type Answer, isRedirect, type NoAnswer, type Outcome, redirectTarget } from './outcome.js';
import type { Flight, Head, Landing, Transport } from './transport.js';

/** One attempt through a transport that sees its socket. Rejects only where the transport refuses the request itself. */
export function attemptDirectly(
  transport: Transport,
  request: WireRequest,
  { timeoutMs, signal }: Omit<AttemptBounds, 'fetch'>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const flight = transport(request, (landing) => end(landed(request, flight, landing)));
    const onAbort = () => {
      flight.cancel();
      end({ ...unanswered('aborted', flight), cause: signal?.reason });
    };
    const onTimeout = () => {
      flight.cancel();
      // An error status is an answer, even when its body never ends.
      const { head } = flight;
      end(head && head.status >= 400 ? answerOf(request, head, '') : unanswered('timeout', flight));
    };
    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function landed(request: WireRequest, flight: Flight, landing: Landing): Outcome {
  if (!landing.head) return { ...unanswered('connection', flight), cause: safeCause(landing.error) };
  const { head, text, broken } = landing;
  if (!broken) return answerOf(request, head, text);
  const cause = safeCause(broken.cause);
  return answerOf(request, head, text, cause ? { why: broken.why, cause } : { why: broken.why });
}

const unanswered = (why: NoAnswer['why'], { mayHaveLeft }: Flight): NoAnswer =>
  mayHaveLeft
    ? { kind: 'no-answer', why, mayHaveArrived: true }
    : { kind: 'no-answer', why, mayHaveArrived: false, unsent: true };

function answerOf({ url }: WireRequest, head: Head, text: string, broken?: Answer['broken']): Answer {
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

/** The `Headers` of a head, repeated ones kept. */
export function headersOf({ rawHeaders }: Head): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(String(rawHeaders[at]), String(rawHeaders[at + 1]));
  }
  return headers;
}

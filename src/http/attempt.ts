import type { Redactor } from '../redaction/redactor.js';
import { readProperty } from '../utils/read-property.js';
import { type AttemptOutcome, isRedirect, type ReceivedResponse, redirectTarget } from './outcome.js';
import { parseJson } from './read-body.js';
import type {
  BodyFailure,
  Transport,
  TransportBounds,
  TransportRequest,
  TransportResponse,
} from './transport.js';

/**
 * Sends a request once over a transport, and derives from its response what the rest of the client needs. Causes are copied,
 * because transports attach whole requests to their errors, API key included.
 */
export async function attemptOnce(
  transport: Transport,
  request: TransportRequest,
  bounds: TransportBounds,
  redactor: Redactor,
): Promise<AttemptOutcome> {
  const outcome = await transport(request, bounds);
  if (outcome.kind === 'response') return receivedResponse(outcome, request.url, redactor);
  if (outcome.why === 'aborted') return { ...outcome, cause: readProperty(bounds.signal, 'reason') };
  return { ...outcome, cause: redactor.cause(outcome.cause) };
}

function receivedResponse(response: TransportResponse, url: string, redactor: Redactor): ReceivedResponse {
  const { status, statusText = '', text, bodyFailure } = response;
  return {
    kind: 'response',
    status,
    statusText,
    url,
    // Read only when needed: some transports build them on first use.
    get headers() {
      return response.headers;
    },
    text,
    json: parseJson(text),
    ...(bodyFailure && { bodyFailure: printable(bodyFailure, redactor) }),
    // Status 0 is a redirect that a browser does not show.
    ...((isRedirect(status) || status === 0) && {
      redirect: redirectTarget(response.headers.get('location')),
    }),
  };
}

function printable({ why, cause: thrown }: BodyFailure, redactor: Redactor): BodyFailure {
  const cause = redactor.cause(thrown);
  return cause ? { why, cause } : { why };
}

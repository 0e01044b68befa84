import { ConfigurationError } from '../../errors/configuration-error.js';
import { WebhookVerificationError } from '../../errors/webhook-errors.js';
import { isNodeResponse } from './node-response.js';
import { Refusal, responseForReason, responses } from './responses.js';

/**
 * Why a handler that was created for `Request` and `Response` cannot use these arguments; undefined when it can. A server
 * without the right adapter calls it with something else, and the sender would otherwise wait for a response that never comes.
 */
export function requestRefusal(request: unknown, nodeResponse: unknown): Refusal | undefined {
  if (isNodeResponse(nodeResponse)) {
    return wrongCall(
      "was called with Node's request and response, as node:http, Express and Next's pages/api do: mount toNodeHandler(handler) instead of the handler itself",
    );
  }
  // Of any realm or polyfill.
  const { method, headers, bodyUsed } = Object(request);
  if (typeof method !== 'string' || typeof Object(headers).get !== 'function') {
    return wrongCall(
      'was called with something that is not a Request. Hono: handler(c.req.raw); SvelteKit and Astro: handler(event.request); Fastify, AWS Lambda and others: handler.receive({ method, headers, body })',
    );
  }
  if (!bodyUsed) return undefined;
  const error = new WebhookVerificationError(
    'body_already_parsed',
    'the body of this request was read before the handler received it: pass the request on unread, or pass what was read to handler.receive({ method, headers, body })',
  );
  return new Refusal(responseForReason(error.reason), 'verify', error);
}

const wrongCall = (problem: string): Refusal =>
  new Refusal(responses.failed(), 'request', new ConfigurationError('handler', problem));

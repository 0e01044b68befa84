import { ConfigurationError } from '../../errors/configuration-error.js';
import { isNodeResponse } from './node-response.js';

/**
 * Why a handler that was created for `Request` and `Response` cannot use these arguments; undefined when it can. A server
 * without the right adapter calls it with something else, and the sender would otherwise wait for a response that never comes.
 */
export function argumentProblem(request: unknown, response: unknown): ConfigurationError | undefined {
  if (isNodeResponse(response)) {
    return new ConfigurationError(
      'handler',
      "was called with Node's request and response, as node:http, Express and Next's pages/api do: mount toNodeHandler(handler) instead of the handler itself",
    );
  }
  if (isRequest(request)) return undefined;
  return new ConfigurationError(
    'handler',
    'was called with something that is not a Request. Hono: handler(c.req.raw); SvelteKit and Astro: handler(event.request); Fastify, AWS Lambda and others: handler.receive({ method, headers, body })',
  );
}

/** Whether a value has what is used of a web `Request`, whichever realm or polyfill it comes from. */
const isRequest = (value: unknown): boolean => {
  const { method, headers } = Object(value);
  return typeof method === 'string' && typeof Object(headers).get === 'function';
};

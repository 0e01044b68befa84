import { attemptKey } from '../http/attempt-key.js';
import { createAttempt } from './attempt.js';
import { createFetch } from './fetch.js';
import { needNode } from './modules.js';
import { checkOptions, type NodeFetchOptions } from './options.js';
import { createRoutes } from './routes.js';

export type { NodeAgent, NodeFetchOptions } from './options.js';

/**
 * A `fetch` over node:http and node:https for busy servers: kept connections, less work and memory for each call. It sees its
 * socket, so it knows whether any byte of a request left: a purchase that never left has `mayHaveCharged: false` and is
 * sent again at once. Certificates are checked as usual.
 *
 * It is a `fetch` for text and bytes: no streams, forms or Request objects as input, and no redirects followed.
 * What it does not support it refuses with a TypeError that names it.
 *
 * @throws `ConfigurationError` that names the option, what is wrong with it and what to do.
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { nodeFetch } from 'billpay/node';
 *
 * const billpay = new BillPay({ fetch: nodeFetch({ maxSockets: 50 }) });
 * ```
 */
export function nodeFetch(options: NodeFetchOptions = {}): typeof globalThis.fetch {
  const checked = checkOptions(options);
  needNode();
  const begin = createRoutes(checked);
  return Object.assign(createFetch(begin), { [attemptKey]: createAttempt(begin) });
}

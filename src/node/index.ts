/**
 * A transport over node:http for busy servers.
 *
 * @module billpay/node
 */
import type { Transport } from '../http/transport.js';
import { createAttempt } from './attempt.js';
import { checkOptions, createRoutes, type NodeTransportOptions, needNode } from './connections.js';

export type { NodeAgent, NodeTransportOptions } from './connections.js';

/**
 * A transport over node:http and node:https for busy servers: connections that are kept alive, and less CPU and memory for
 * each call. It sees its connections, so it knows whether any byte of a request was sent: a purchase that was not sent has
 * `mayHaveCharged: false` and is retried at once. Certificates are checked as usual. Needs Node 20.16, 22.3 or later.
 *
 * Create one and share it between clients: each has its own connections.
 *
 * @throws `ConfigurationError` that names the option, what is wrong with it and what to do.
 * @example
 * ```ts
 * import { BillPay } from 'billpay';
 * import { nodeTransport } from 'billpay/node';
 *
 * const billpay = new BillPay({ transport: nodeTransport({ maxSockets: 50 }) });
 * ```
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const checked = checkOptions(options);
  needNode();
  return createAttempt(createRoutes(checked));
}

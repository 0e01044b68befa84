import { leavesBodyUnread, type WebhookResponse } from './responses.js';

/** The part of Node's `ServerResponse` that is used. */
export interface NodeWebhookResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether something has responded already. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the response. */
  end(body: string): unknown;
}

/** Whether a value can be written to as a Node response: one of node:http, Express, Nest or Next's `pages/api`. */
export const isNodeResponse = (value: unknown): value is NodeWebhookResponse =>
  ['setHeader', 'end'].every((name) => typeof Reflect.get(Object(value), name) === 'function');

/** Writes a response, unless something has begun one already. */
export function writeNodeResponse(target: NodeWebhookResponse, response: WebhookResponse): void {
  if (target.headersSent) return;
  target.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) target.setHeader(name, value);
  if (leavesBodyUnread(response)) target.setHeader('Connection', 'close');
  target.end(response.body);
}

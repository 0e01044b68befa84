import type { ServerResponse } from 'node:http';
import type { Sandbox } from '../types.js';
import { viewOf } from './view.js';

/** How long changes are gathered before the page hears of them, in ms: an eye does not notice, a load test does. */
const gatherMs = 50;

/** How soon a page tries again when the connection broke, in ms: a sandbox that is started anew is seen at once. */
const reconnectMs = 1000;

/** Sends the view now and after changes, as server-sent events, until the page goes away. */
export function stream(
  sandbox: Sandbox,
  response: ServerResponse,
  baseUrl: string,
  clientId: string | undefined,
): void {
  let timer: NodeJS.Timeout | undefined;
  let blocked = false;
  /** Whether something changed after the last view was sent. */
  let stale = false;

  const send = () => {
    timer = undefined;
    stale = false;
    const data = JSON.stringify(viewOf(sandbox, baseUrl, clientId));
    blocked = !response.write(`data: ${data}\n\n`);
  };
  // A page that cannot keep up gets the latest state when it can, not every state in between.
  const changed = () => {
    stale = true;
    if (!blocked) timer ??= setTimeout(send, gatherMs);
  };

  // A view is larger than the socket's buffer, so every view is followed by a `drain`: sending again without a change would
  // send views without end.
  response.on('drain', () => {
    blocked = false;
    if (stale) changed();
  });
  const stop = sandbox.onActivity(changed);
  response.on('close', () => {
    stop();
    clearTimeout(timer);
  });
  response.write(`retry: ${reconnectMs}\n\n`);
  send();
}

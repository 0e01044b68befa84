import type { Context } from 'hono';
import { type SSEMessage, streamSSE } from 'hono/streaming';
import type { ServerEnv } from '../http/server.js';

/** How often a comment keeps an idle connection open, in ms. */
const heartbeatMs = 15_000;

/** How soon a client tries again after a broken connection, in ms. */
const reconnectMs = 1000;

/** How many events wait for a client that reads too slowly; it misses those that follow. */
const maxWaiting = 1000;

/** Sends an event with JSON data. */
export type SendEvent = (event: string, data: object, id?: number) => void;

/**
 * Responds with server-sent events until the client disconnects; nothing is sent while nothing happens but a comment every 15 seconds. A
 * client that missed events receives one `missed` in their place, so that it can read the lists again.
 *
 * @param start - begins to send, and returns what ends that. An error that it throws is the response instead.
 */
export function respondWithEvents(c: Context<ServerEnv>, start: (send: SendEvent) => () => void): Response {
  let waiting: SSEMessage[] = [];
  let missed = 0;
  let wake = (): void => undefined;
  const stop = start((event, data, id) => {
    if (waiting.length >= maxWaiting) missed += 1;
    else waiting.push({ event, data: JSON.stringify(data), ...(id !== undefined && { id: String(id) }) });
    wake();
  });
  const { outgoing } = c.env;
  outgoing.once('close', () => {
    stop();
    wake();
  });
  return streamSSE(c, async (stream) => {
    await stream.write(`retry: ${reconnectMs}\n\n`);
    while (!outgoing.closed) {
      const messages = waiting;
      waiting = [];
      for (const message of messages) await stream.writeSSE(message);
      if (missed > 0) {
        const data = JSON.stringify({ type: 'missed', count: missed });
        missed = 0;
        await stream.writeSSE({ event: 'missed', data });
      }
      if (waiting.length > 0) continue;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const isIdle = await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(true), heartbeatMs);
        wake = () => resolve(false);
      });
      clearTimeout(timer);
      if (isIdle) await stream.write(': still here\n\n');
    }
  });
}

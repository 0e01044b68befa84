import { streamSSE } from 'hono/streaming';
import { Hono } from 'hono/tiny';
import type { SandboxActivity } from '../records/changes.js';
import type { Sandbox } from '../types.js';
import { query } from './validate.js';

/** How often a comment keeps an idle connection open, in ms. */
const heartbeatMs = 15_000;

/** At least so much time lies between two events, in ms: a busy sandbox is not read anew at each purchase. */
const pauseMs = 250;

/** What happened last, by its names. The lists say the rest. */
function news(activity: SandboxActivity) {
  const { id, type, at } = activity;
  const about =
    'request' in activity ? activity.request : 'transaction' in activity ? activity.transaction : undefined;
  const { reference, idempotency_key } = about ?? {};
  return { id, type, at, reference, idempotency_key };
}

/**
 * `GET /events`: server-sent events that say only that something changed, so that a reader that is slow or was away misses nothing by
 * asking for what it shows.
 */
export function eventRoutes(sandbox: Sandbox): Hono {
  return new Hono().get('/events', query({}), (c) => {
    if (c.req.method === 'HEAD') return c.body(null);
    return streamSSE(c, async (stream) => {
      let latest: SandboxActivity | undefined;
      let wake = (): void => undefined;
      const stop = sandbox.onActivity((activity) => {
        latest = activity;
        wake();
      });
      stream.onAbort(() => {
        stop();
        wake();
      });
      await stream.write('retry: 1000\n\n');
      while (!stream.aborted) {
        if (latest) {
          const data = JSON.stringify(news(latest));
          latest = undefined;
          await stream.writeSSE({ event: 'changed', data });
          await stream.sleep(pauseMs);
          continue;
        }
        let timer: ReturnType<typeof setTimeout> | undefined;
        const isIdle = await new Promise<boolean>((resolve) => {
          timer = setTimeout(() => resolve(true), heartbeatMs);
          wake = () => resolve(false);
        });
        clearTimeout(timer);
        if (isIdle) await stream.write(': still here\n\n');
      }
    });
  });
}

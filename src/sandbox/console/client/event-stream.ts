import { readEvents } from '../../control/read-events.js';
import { type Api, ApiError } from './api.js';
import type { SandboxEvent } from './resources.js';

/** `lost`: the stream ended, and is opened again every second. `locked`: the control token is missing or wrong. */
export type Connection = 'connecting' | 'live' | 'lost' | 'locked';

export interface StreamListener {
  onEvent(event: SandboxEvent): void;
  onConnection(connection: Connection): void;
}

/** How long to wait before the stream is opened again, in ms. */
const reconnectMs = 1000;

/** A connection on which nothing arrives for so long is taken for dead, in ms: the sandbox sends a comment every 15 seconds. */
const silenceMs = 40_000;

/** Reads the events of the sandbox until it is stopped, over as many connections as that takes. */
export async function followEvents(api: Api, listener: StreamListener, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      await followOnce(api, listener, stop);
    } catch (error) {
      if (stop.aborted) return;
      if (error instanceof ApiError && error.status === 401) {
        listener.onConnection('locked');
        return;
      }
    }
    if (stop.aborted) return;
    listener.onConnection('lost');
    await wait(reconnectMs, stop);
  }
}

/** Reads one connection to its end; a silent one is ended. */
async function followOnce(api: Api, listener: StreamListener, stop: AbortSignal): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stillAlive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  try {
    const { body } = await api.open('/events', { summary: '1' }, AbortSignal.any([stop, silence.signal]));
    if (!body) return;
    listener.onConnection('live');
    stillAlive();
    for await (const { data } of readEvents(body, stillAlive)) listener.onEvent(data as SandboxEvent);
  } finally {
    clearTimeout(timer);
  }
}

function wait(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

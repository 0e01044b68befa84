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
    const silence = new AbortController();
    try {
      const response = await api.open('/events', {}, AbortSignal.any([stop, silence.signal]));
      listener.onConnection('live');
      for await (const event of readEvents(response.body, () => silence.abort())) listener.onEvent(event);
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

/** Parses server-sent events. Comments only prove that the connection is alive. */
export async function* readEvents(
  body: ReadableStream<BufferSource> | null,
  onSilence: () => void,
): AsyncGenerator<SandboxEvent, void> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const timer = setTimeout(onSilence, silenceMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const messages = (rest + value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) yield JSON.parse(data) as SandboxEvent;
    }
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

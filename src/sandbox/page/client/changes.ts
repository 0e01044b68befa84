import { type ControlClient, ControlError } from '../../control/client.js';

/** The event stream of the sandbox, which says that something changed. */

/** `lost`: the stream ended, and is opened again every second. `locked`: the control token is missing or wrong. */
export type Connection = 'connecting' | 'live' | 'lost' | 'locked';

interface Listener {
  connection(state: Connection): void;
  changed(): void;
}

/** How long to wait before the stream is opened again, in ms. */
const reconnectMs = 1000;

/** A connection on which nothing arrives for so long is taken for dead, in ms: the sandbox sends a comment every 15 seconds. */
const silenceMs = 40_000;

/** Listens until it is stopped, over as many connections as that takes. What happened between two of them counts as one change. */
export async function followChanges(
  api: ControlClient,
  listener: Listener,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const error: unknown = await followOnce(api, listener, stop).catch((reason: unknown) => reason);
    if (stop.aborted) return;
    if (error instanceof ControlError && error.status === 401) return listener.connection('locked');
    listener.connection('lost');
    await new Promise((resolve) => {
      setTimeout(resolve, reconnectMs);
      stop.addEventListener('abort', resolve, { once: true });
    });
  }
}

/** Reads one connection to its end; a silent one is ended. */
async function followOnce(api: ControlClient, listener: Listener, stop: AbortSignal): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stillAlive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  try {
    const { body } = await api.open('/events', AbortSignal.any([stop, silence.signal]));
    if (!body) return;
    listener.connection('live');
    listener.changed();
    stillAlive();
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      stillAlive();
      if (/^data:/m.test(text)) listener.changed();
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Follows while the page is visible: a hidden tab asks for nothing, and leaves the few connections that a browser has for one address to the
 * others.
 */
export function followWhileVisible(
  page: Pick<Document, 'hidden' | 'addEventListener'>,
  follow: (stop: AbortSignal) => unknown,
): void {
  let stop: AbortController | undefined;
  const update = () => {
    if (page.hidden) {
      stop?.abort();
      stop = undefined;
    } else if (!stop) {
      stop = new AbortController();
      void follow(stop.signal);
    }
  };
  page.addEventListener('visibilitychange', update);
  update();
}

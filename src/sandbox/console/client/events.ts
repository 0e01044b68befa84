import { readEvents } from '../../control/read-events.js';
import { type Api, ApiError } from './api.js';
import type { SandboxEvent } from './resources.js';

/**
 * The event stream of the sandbox: one for all tabs of a browser. A browser opens six connections to one address, and each stream keeps
 * one of them: with a stream for each tab, the seventh tab would never connect.
 */

/** `lost`: the stream ended, and is opened again every second. `locked`: the control token is missing or wrong. */
export type Connection = 'connecting' | 'live' | 'lost' | 'locked';

/** What the stream brings: an event, or how the connection is. */
export type StreamMessage = { readonly event: SandboxEvent } | { readonly connection: Connection };

/** What tabs say to each other: a new one asks how the connection is, and the reader passes on what it hears. */
type TabMessage = StreamMessage | 'hello' | { readonly known: Connection };

type Listener = (message: StreamMessage) => void;
type Follow = (listener: Listener, stop: AbortSignal) => Promise<void>;

/** How long to wait before the stream is opened again, in ms. */
const reconnectMs = 1000;

/** A connection on which nothing arrives for so long is taken for dead, in ms: the sandbox sends a comment every 15 seconds. */
const silenceMs = 40_000;

/** Reads the events of the sandbox until it is stopped, over as many connections as that takes. */
export async function followEvents(api: Api, listener: Listener, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const error: unknown = await followOnce(api, listener, stop).catch((reason: unknown) => reason);
    if (stop.aborted) return;
    if (error instanceof ApiError && error.status === 401) return listener({ connection: 'locked' });
    listener({ connection: 'lost' });
    await new Promise((resolve) => {
      setTimeout(resolve, reconnectMs);
      stop.addEventListener('abort', resolve);
    });
  }
}

/** Reads one connection to its end; a silent one is ended. */
async function followOnce(api: Api, listener: Listener, stop: AbortSignal): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stillAlive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  try {
    const { body } = await api.open('/events', { summary: '1' }, AbortSignal.any([stop, silence.signal]));
    if (!body) return;
    listener({ connection: 'live' });
    stillAlive();
    for await (const { data } of readEvents(body, stillAlive)) listener({ event: data as SandboxEvent });
  } finally {
    clearTimeout(timer);
  }
}

/** The parts of the browser that sharing needs. */
export interface TabsEnvironment {
  /** Undefined outside a secure context: on another address than a loopback one, without https. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly createChannel: () => BroadcastChannel;
  readonly document: Pick<Document, 'hidden' | 'addEventListener'>;
}

/**
 * Passes the events on to this tab. Where the browser has locks, the tab that holds the lock reads the stream for all others, and the
 * next tab takes over when it closes. Elsewhere each tab has a stream of its own while it is visible.
 */
export function shareEvents(tabs: TabsEnvironment, follow: Follow, listener: Listener): void {
  if (tabs.locks) shareByLock(tabs.locks, tabs.createChannel(), follow, listener);
  else followWhileVisible(tabs.document, follow, listener);
}

function shareByLock(
  locks: Pick<LockManager, 'request'>,
  channel: BroadcastChannel,
  follow: Follow,
  listener: Listener,
): void {
  let isReader = false;
  let connection: Connection = 'connecting';
  const hear: Listener = (message) => {
    if ('connection' in message) connection = message.connection;
    listener(message);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data === 'hello') {
      if (isReader) channel.postMessage({ known: connection });
    } else if ('known' in data) {
      // The response to a tab that was just opened: no news to the others.
      if (connection === 'connecting') hear({ connection: data.known });
    } else hear(data);
  });
  channel.postMessage('hello');
  void locks.request('billpay-sandbox-events', () => {
    isReader = true;
    const forAll: Listener = (message) => {
      channel.postMessage(message);
      hear(message);
    };
    return follow(forAll, new AbortController().signal).finally(() => {
      isReader = false;
    });
  });
}

function followWhileVisible(page: TabsEnvironment['document'], follow: Follow, listener: Listener): void {
  let stop: AbortController | undefined;
  const update = () => {
    if (page.hidden) {
      stop?.abort();
      stop = undefined;
    } else if (!stop) {
      stop = new AbortController();
      void follow(listener, stop.signal);
    }
  };
  page.addEventListener('visibilitychange', update);
  update();
}

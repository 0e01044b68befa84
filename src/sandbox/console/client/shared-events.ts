import type { Connection, StreamListener } from './event-stream.js';
import type { SandboxEvent } from './resources.js';

/**
 * One event stream for all tabs of a browser. A browser opens six connections to one address, and each stream keeps one of them:
 * with a stream for each tab, the seventh tab would never connect.
 */

/** What the tabs tell each other. */
type Message =
  | { readonly kind: 'event'; readonly event: SandboxEvent }
  | { readonly kind: 'connection'; readonly connection: Connection }
  /** A tab was opened and asks how the connection is. */
  | { readonly kind: 'hello' };

/** The parts of the browser that sharing needs. */
export interface TabsEnvironment {
  /** Undefined outside a secure context: on another address than a loopback one, without https. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly createChannel: () => BroadcastChannel;
  readonly isHidden: () => boolean;
  readonly onVisibilityChange: (listener: () => void) => void;
}

type Follow = (listener: StreamListener, stop: AbortSignal) => Promise<void>;

const name = 'billpay-sandbox-events';

/**
 * Passes the events on to this tab. Where the browser has locks, the tab that holds the lock reads the stream for all others, and the
 * next tab takes over when it closes. Elsewhere each tab has a stream of its own while it is visible.
 */
export function shareEvents(tabs: TabsEnvironment, follow: Follow, listener: StreamListener): void {
  if (tabs.locks) shareByLock(tabs.locks, tabs.createChannel(), follow, listener);
  else followWhileVisible(tabs, follow, listener);
}

function shareByLock(
  locks: Pick<LockManager, 'request'>,
  channel: BroadcastChannel,
  follow: Follow,
  listener: StreamListener,
): void {
  let reading = false;
  let current: Connection = 'connecting';
  const send = (message: Message) => channel.postMessage(message);

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      if (reading) send({ kind: 'connection', connection: current });
    } else if (data.kind === 'event') {
      listener.onEvent(data.event);
    } else if (data.connection !== current) {
      current = data.connection;
      listener.onConnection(current);
    }
  });
  send({ kind: 'hello' });

  const forAll: StreamListener = {
    onEvent: (event) => {
      send({ kind: 'event', event });
      listener.onEvent(event);
    },
    onConnection: (connection) => {
      current = connection;
      send({ kind: 'connection', connection });
      listener.onConnection(connection);
    },
  };
  void locks.request(name, () => {
    reading = true;
    return follow(forAll, new AbortController().signal).finally(() => {
      reading = false;
    });
  });
}

function followWhileVisible(tabs: TabsEnvironment, follow: Follow, listener: StreamListener): void {
  let stop: AbortController | undefined;
  const update = () => {
    if (tabs.isHidden()) {
      stop?.abort();
      stop = undefined;
    } else if (!stop) {
      stop = new AbortController();
      void follow(listener, stop.signal);
    }
  };
  tabs.onVisibilityChange(update);
  update();
}

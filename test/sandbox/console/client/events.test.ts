import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Api, ApiError, createApi } from '../../../../src/sandbox/console/client/api.js';
import {
  type Connection,
  followEvents,
  type StreamMessage,
  shareEvents,
  type TabsEnvironment,
} from '../../../../src/sandbox/console/client/events.js';
import type { SandboxEvent } from '../../../../src/sandbox/console/client/resources.js';
import { controlled } from '../../control/support.js';

const apiOf = (origin: string, token?: string, onTokenNeeded = () => {}) =>
  createApi({ root: `${origin}/_sandbox`, token: () => token, onTokenNeeded });

describe('the control API', () => {
  test('sends the token as a header, and problems become sentences', async () => {
    const token = 'a-token-of-enough-length';
    const { origin } = await controlled({}, { controlToken: token });
    expect(await apiOf(origin, token).get('/audit')).toMatchObject({ ok: true });
    const needed = vi.fn();
    const refused = apiOf(origin, 'wrong', needed);
    await expect(refused.get('/audit')).rejects.toThrow(/control token/);
    expect(needed).toHaveBeenCalledOnce();
    const api = apiOf(origin, token);
    await expect(api.post('/faults', { status: 1 })).rejects.toThrow(/status/);
    await expect(api.send('DELETE', '/faults/7')).rejects.toMatchObject({ status: 404 });
    expect(await api.get('/transactions', { limit: '1', q: '', state: undefined })).toEqual({
      data: [],
      total: 0,
      next: null,
    });
  });

  test('a sandbox that is gone cannot be reached', async () => {
    const { origin, sandbox } = await controlled();
    await sandbox.close();
    const failed = apiOf(origin).get('/audit');
    await expect(failed).rejects.toBeInstanceOf(ApiError);
    await expect(failed).rejects.toThrow('The sandbox cannot be reached.');
  });

  test('a response without a problem is told by its status', async () => {
    const { origin } = await controlled();
    await expect(createApi({ root: `${origin}/nothing` }).get('/')).rejects.toThrow(/404/);
  });
});

/** What was heard of a stream. */
interface Tab {
  readonly events: SandboxEvent[];
  readonly connections: Connection[];
}

const listenerOf =
  ({ events, connections }: Tab) =>
  (message: StreamMessage) =>
    void ('event' in message ? events.push(message.event) : connections.push(message.connection));

/** Follows the events of a sandbox until the test ends. */
function follow(api: Api) {
  const tab: Tab = { events: [], connections: [] };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const ended = followEvents(api, listenerOf(tab), stop.signal);
  return { ...tab, stop, ended };
}

describe('the event stream', () => {
  test('brings events, and is opened again after the sandbox was restarted', async () => {
    const first = await controlled();
    const { events, connections, stop, ended } = follow(apiOf(first.origin));
    await expect.poll(() => connections).toEqual(['live']);
    first.sandbox.faults.add({ status: 503 });
    await expect.poll(() => events.find(({ type }) => type === 'fault')).toMatchObject({ change: 'added' });
    expect(events[0]?.type).toBe('summary');
    await first.sandbox.close();
    await expect.poll(() => connections.slice(0, 2)).toEqual(['live', 'lost']);
    await controlled({}, { port: Number(new URL(first.origin).port) });
    await expect.poll(() => connections.at(-1)).toBe('live');
    stop.abort();
    await ended;
  });

  test('ends when the token is refused', async () => {
    const { origin } = await controlled({}, { controlToken: 'a-token-of-enough-length' });
    const { connections, ended } = follow(apiOf(origin, 'wrong'));
    await ended;
    expect(connections).toEqual(['locked']);
  });

  test('stops while it waits for a sandbox that is gone', async () => {
    const { origin, sandbox } = await controlled();
    await sandbox.close();
    const { connections, stop, ended } = follow(apiOf(origin));
    await expect.poll(() => connections).toContain('lost');
    stop.abort();
    await ended;
  });

  test('a connection on which nothing arrives is taken for dead, comments prove that it lives', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let send = (_: string) => {};
    const api = apiOf('http://127.0.0.1:9');
    vi.spyOn(api, 'open').mockImplementation(async (_path, _query, signal) => {
      const body = new ReadableStream({
        start: (controller) => {
          send = (text) => controller.enqueue(new TextEncoder().encode(text));
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
      });
      return new Response(body);
    });
    const { connections } = follow(api);
    await vi.advanceTimersByTimeAsync(39_000);
    send(': still here\n\n');
    await vi.advanceTimersByTimeAsync(39_000);
    expect(connections).toEqual(['live']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(connections).toEqual(['live', 'lost']);
  });
});

/** Locks of a browser: one holder at a time, the others in a queue. */
function createLocks() {
  const queue: (() => void)[] = [];
  let busy = false;
  const request = async (_: string, work: () => Promise<unknown>): Promise<unknown> => {
    if (busy) await new Promise<void>((resolve) => queue.push(resolve));
    busy = true;
    return work().finally(() => {
      busy = false;
      queue.shift()?.();
    });
  };
  return { request } as unknown as Pick<LockManager, 'request'>;
}

describe('tabs share one stream', () => {
  test('the first tab reads for all; when it is gone the next one does', async () => {
    const locks = createLocks();
    const name = `test-${crypto.randomUUID()}`;
    const readers: { tab: Tab; end: () => void; send: (event: SandboxEvent) => void }[] = [];
    const open = (): Tab => {
      const tab: Tab = { events: [], connections: [] };
      const environment: TabsEnvironment = {
        locks,
        createChannel: () => {
          const channel = new BroadcastChannel(name);
          onTestFinished(() => channel.close());
          return channel;
        },
        document: { hidden: true, addEventListener: () => {} },
      };
      const follow = (listener: Parameters<typeof followEvents>[1]) =>
        new Promise<void>((end) => {
          readers.push({ tab, end, send: (event) => listener({ event }) });
          listener({ connection: 'live' });
        });
      shareEvents(environment, follow, listenerOf(tab));
      return tab;
    };
    const tabs = Array.from({ length: 8 }, open);
    await expect.poll(() => tabs.map(({ connections }) => connections)).toEqual(tabs.map(() => ['live']));
    expect(readers).toHaveLength(1);
    readers[0]?.send({ type: 'reset' });
    await expect.poll(() => tabs.map(({ events }) => events)).toEqual(tabs.map(() => [{ type: 'reset' }]));

    readers[0]?.end();
    await expect.poll(() => readers.length).toBe(2);
    // Nobody read meanwhile: `live` again makes each tab read everything anew.
    await expect
      .poll(() => tabs.slice(1).map(({ connections }) => connections))
      .toEqual(tabs.slice(1).map(() => ['live', 'live']));
    readers[1]?.send({ type: 'price' });
    await expect.poll(() => tabs.map(({ events }) => events.length)).toEqual(tabs.map(() => 2));

    const late = open();
    await expect.poll(() => late.connections).toEqual(['live']);
    expect(readers).toHaveLength(2);
    // What one tab asks is no news to the others.
    expect(tabs[7]?.connections).toHaveLength(2);
  });

  test('without locks, each tab has a stream of its own while it is visible', () => {
    const changed: (() => void)[] = [];
    const document = {
      hidden: true,
      addEventListener: (_: string, listener: () => void) => changed.push(listener),
    };
    const signals: AbortSignal[] = [];
    const tab: Tab = { events: [], connections: [] };
    const environment: TabsEnvironment = {
      locks: undefined,
      createChannel: () => {
        throw new Error('nothing is shared');
      },
      document: document as unknown as TabsEnvironment['document'],
    };
    const follow = async (_: unknown, stop: AbortSignal) => void signals.push(stop);
    shareEvents(environment, follow, listenerOf(tab));
    const setHidden = (value: boolean) => {
      document.hidden = value;
      for (const listener of changed) listener();
    };
    expect(signals).toHaveLength(0);
    setHidden(false);
    setHidden(false);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    setHidden(true);
    setHidden(true);
    setHidden(false);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

import { expect, onTestFinished } from 'vitest';
import type { ListenOptions, Sandbox, SandboxOptions } from '../../../src/sandbox/index.js';
import { sandboxAtStart } from '../support.js';

export interface Control {
  readonly sandbox: Sandbox;
  readonly origin: string;
  readonly token: string | undefined;
  /** Sends a request to `/_sandbox` as a program would, and returns the status and the JSON body. */
  readonly send: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
  /** The same, for requests that must succeed; the type of the body is the caller's to say. */
  readonly ok: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

/** A sandbox with a manual clock on a port. */
export async function controlled(options: SandboxOptions = {}, listen: ListenOptions = {}): Promise<Control> {
  const sandbox = sandboxAtStart(options);
  const { port, controlToken } = await sandbox.listen(listen);
  onTestFinished(() => sandbox.close());
  const origin = `http://127.0.0.1:${port}`;
  const send: Control['send'] = async (method, path, body) => {
    const response = await fetch(`${origin}/_sandbox${path}`, {
      method,
      headers: controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    sandbox,
    origin,
    token: controlToken,
    send,
    ok: async <T>(method: string, path: string, body?: unknown) => {
      const reply = await send(method, path, body);
      expect(reply).toMatchObject({ status: 200 });
      return reply.body as T;
    },
  };
}

export interface ServerEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Opens a stream, and reads its events until the test ends. */
export async function openEvents(
  address: string,
  init: RequestInit = {},
): Promise<(count: number) => Promise<ServerEvent[]>> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(address, { ...init, signal: controller.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  if (!response.body) throw new Error('no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async (count) => {
    const events: ServerEvent[] = [];
    while (events.length < count) {
      const end = text.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
        continue;
      }
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const event = /^event: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) });
    }
    return events;
  };
}

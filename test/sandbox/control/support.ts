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

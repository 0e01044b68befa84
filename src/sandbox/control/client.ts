import type { Json } from './types.js';

/** A client of the control API, for the page and the command. */

/** A request that failed, with a sentence to show. */
export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ControlClientOptions {
  /** Where the sandbox is (default: where the page is that calls it). */
  readonly origin?: string;
  /** The control token; undefined where none is known. */
  readonly token?: () => string | undefined;
  /** Called when a request is refused for want of the right token. */
  readonly onTokenNeeded?: () => void;
}

export type ControlClient = ReturnType<typeof createControlClient>;

export function createControlClient({ origin = '', token, onTokenNeeded }: ControlClientOptions = {}) {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const given = token?.();
    if (given !== undefined) headers.set('authorization', `Bearer ${given}`);
    const response = await fetch(`${origin}/_sandbox${path}`, { ...init, headers }).catch(
      (error: unknown) => {
        throw init.signal?.aborted ? error : new ControlError(0, 'The sandbox cannot be reached.');
      },
    );
    if (response.ok) return response;
    if (response.status === 401) onTokenNeeded?.();
    throw new ControlError(response.status, await problemText(response));
  };
  /** A response whose body the caller reads, such as the event stream. */
  const open = (path: string, signal: AbortSignal): Promise<Response> => request(path, { signal });
  /** `T` is the type of the code API. */
  const get = async <T>(path: string): Promise<Json<T>> => jsonOf(await request(path, {}));
  const send = async <T>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object = {},
  ): Promise<Json<T>> => {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return jsonOf(await request(path, init));
  };
  const post = <T = unknown>(path: string, body?: object): Promise<Json<T>> => send<T>('POST', path, body);
  return { open, get, send, post };
}

/** The `detail` of a JSON problem, else what can be said without one. */
async function problemText(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'detail' in problem) return String(problem.detail);
  return noSandbox(response);
}

const jsonOf = (response: Response) =>
  response.json().catch(() => {
    throw new ControlError(response.status, noSandbox(response));
  });

const noSandbox = ({ status }: Response): string =>
  `What responds there is not a billpay sandbox of this version (status ${status}).`;

import { type Params, withQuery } from './location.js';

/** The control API of the sandbox that serves the page. It is the only thing that the page talks to. */

/** A request that failed, with a sentence to show. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ApiOptions {
  /** Where the control API is, such as `/_sandbox`. */
  readonly root: string;
  /** The control token, where the person has entered one. */
  readonly token?: () => string | undefined;
  /** Called when a request is refused for want of the right token. */
  readonly onTokenNeeded?: () => void;
}

export type Api = ReturnType<typeof createApi>;

export function createApi({ root, token, onTokenNeeded }: ApiOptions) {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const given = token?.();
    if (given !== undefined) headers.set('authorization', `Bearer ${given}`);
    const response = await fetch(root + path, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new ApiError(0, 'The sandbox cannot be reached.');
    });
    if (response.ok) return response;
    if (response.status === 401) onTokenNeeded?.();
    throw new ApiError(response.status, await problemText(response));
  };
  /** A response whose body the caller reads, such as the event stream. */
  const open = (path: string, query: Params = {}, signal?: AbortSignal): Promise<Response> =>
    request(withQuery(path, query), signal ? { signal } : {});
  const get = async <T>(path: string, query?: Params): Promise<T> =>
    (await (await open(path, query)).json()) as T;
  const send = async <T>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: object = {},
  ): Promise<T> => {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await (await request(path, init)).json()) as T;
  };
  const post = <T>(path: string, body?: object): Promise<T> => send('POST', path, body);
  return { open, get, send, post };
}

/** The `detail` of a JSON problem, else what can be said without one. */
async function problemText(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'detail' in problem) return String(problem.detail);
  return `The sandbox responded with ${response.status}.`;
}

/** The control API of the sandbox that serves the page. It is the only thing that the page talks to. */

/** A request that failed, with a sentence to show. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Query = Readonly<Record<string, string | undefined>>;

export interface ApiOptions {
  /** Where the control API is, such as `/_sandbox`. */
  readonly root: string;
  /** The control token, where the person has entered one. */
  readonly token: () => string | undefined;
  /** Called when a request is refused for want of the right token. */
  readonly onTokenNeeded: () => void;
}

export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    const response = await this.open(path, query);
    return (await response.json()) as T;
  }

  async send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object = {}): Promise<T> {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await this.#fetch(path, init);
    return (await response.json()) as T;
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.send('POST', path, body);
  }

  /** A response whose body the caller reads, such as the event stream. */
  open(path: string, query: Query = {}, signal?: AbortSignal): Promise<Response> {
    const given = Object.entries(query).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    );
    const text = new URLSearchParams(given).toString();
    return this.#fetch(text === '' ? path : `${path}?${text}`, signal ? { signal } : {});
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { root, token, onTokenNeeded } = this.#options;
    const headers = new Headers(init.headers);
    const given = token();
    if (given !== undefined) headers.set('authorization', `Bearer ${given}`);
    const response = await fetch(root + path, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new ApiError(0, 'The sandbox cannot be reached.');
    });
    if (response.ok) return response;
    if (response.status === 401) onTokenNeeded();
    throw new ApiError(response.status, await problemText(response));
  }
}

/** The `detail` of a JSON problem, else what can be said without one. */
async function problemText(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'detail' in problem) return String(problem.detail);
  return `The sandbox responded with ${response.status}.`;
}

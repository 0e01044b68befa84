import { unlessAborted } from '../../utils/wait.js';
import type { WebhookHandler } from '../service/clients.js';

/** How one exchange with a receiver ended. */
export interface SendResult {
  /** The receiver's HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Why there was no response. */
  readonly error: string | undefined;
  /** The beginning of the body of a response other than a 2xx. */
  readonly reply?: string | undefined;
}

/** This many webhooks are sent at once; more would use up the sockets of a small machine. */
const maxAtOnce = 32;

/** How much of a reply is kept, in bytes. */
const maxReplyBytes = 2048;

const closedError = 'the sandbox was closed';

const hooks = typeof process === 'object' ? process.getBuiltinModule?.('node:async_hooks') : undefined;

/** Sends webhooks to a URL or to a function, a bounded number at a time. */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #open = new Set<AbortController>();
  /** Follows the calls of handlers, where the runtime can. */
  readonly #handling = hooks && new hooks.AsyncLocalStorage<{ isOver: boolean }>();
  readonly #waiting: (() => void)[] = [];
  #sending = 0;
  #closed = false;

  /** `timeoutMs`: how long a receiver may take, in real time. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether this is called by a webhook handler that has not returned, which would wait for itself if it waited for deliveries. */
  isInHandler(): boolean {
    return this.#handling?.getStore()?.isOver === false;
  }

  /** Resolves when a place is free; call `release` afterwards. */
  async acquire(): Promise<void> {
    if (this.#sending < maxAtOnce) this.#sending += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the place to the one that has waited longest. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#sending -= 1;
  }

  /** Sends one webhook; never rejects. */
  async send(url: string, handler: WebhookHandler | undefined, init: RequestInit): Promise<SendResult> {
    if (this.#closed) return { status: undefined, error: closedError };
    const exchange = new AbortController();
    const { signal } = exchange;
    const timer = setTimeout(() => exchange.abort(), this.#timeoutMs);
    this.#open.add(exchange);
    try {
      const request: RequestInit = { ...init, redirect: 'manual', signal };
      const response = await (handler
        ? unlessAborted(this.#call(handler, new Request(url, request)), signal)
        : fetch(url, request));
      const reply = response.ok ? undefined : await readBeginning(response);
      if (response.ok) void response.body?.cancel().catch(() => undefined);
      return { status: response.status, error: undefined, reply };
    } catch (error) {
      return { status: undefined, error: this.#reason(error, signal.aborted) };
    } finally {
      clearTimeout(timer);
      this.#open.delete(exchange);
    }
  }

  /** Aborts the requests under way. */
  abort(): void {
    for (const exchange of this.#open) exchange.abort();
  }

  /** Aborts the requests under way, and refuses all later ones. */
  close(): void {
    this.#closed = true;
    this.abort();
  }

  async #call(handler: WebhookHandler, request: Request): Promise<Response> {
    const call = { isOver: false };
    try {
      return await (this.#handling ? this.#handling.run(call, () => handler(request)) : handler(request));
    } finally {
      call.isOver = true;
    }
  }

  #reason(error: unknown, aborted: boolean): string {
    if (this.#closed) return closedError;
    if (aborted) return `no response within ${this.#timeoutMs} ms`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

/** The first bytes of a body as text. One that stalls or breaks is kept as far as it came. */
async function readBeginning({ body }: Response): Promise<string | undefined> {
  if (!body) return undefined;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < maxReplyBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, maxReplyBytes - bytes);
      bytes += part.length;
      text += decoder.decode(part, { stream: true });
    }
  } catch {
    // What came before is what there is.
  }
  void reader.cancel().catch(() => undefined);
  return text === '' ? undefined : text;
}

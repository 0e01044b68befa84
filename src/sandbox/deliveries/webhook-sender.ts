import { unlessAborted } from '../../utils/unless-aborted.js';
import type { HandlerScope } from '../lab/handler-scope.js';
import type { Subscription } from '../rules/clients.js';
import { readReply } from './reply.js';

/** How one HTTP exchange with a receiver ended. */
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

const closedError = 'the sandbox was closed';
const noHandlerError =
  'the handler of this subscription is not there any more: the sandbox was started again; subscribe it again';

/** Sends webhooks to a URL or to a function, a bounded number at a time. */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #scope: HandlerScope;
  readonly #open = new Set<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #sending = 0;
  #closed = false;

  /** `timeoutMs`: how long a receiver may take, in real time. */
  constructor(timeoutMs: number, scope: HandlerScope) {
    this.#timeoutMs = timeoutMs;
    this.#scope = scope;
  }

  get closed(): boolean {
    return this.#closed;
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
  async send(
    { url, handler, fromHandler }: Subscription,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<SendResult> {
    if (this.#closed) return { status: undefined, error: closedError };
    if (fromHandler && !handler) return { status: undefined, error: noHandlerError };
    const exchange = new AbortController();
    const timer = setTimeout(() => exchange.abort(), this.#timeoutMs);
    this.#open.add(exchange);
    const { signal } = exchange;
    try {
      const request = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
      const response = await (handler
        ? unlessAborted(
            this.#scope.run(() => handler(new Request(url, request))),
            signal,
          )
        : fetch(url, request));
      const reply = response.ok ? undefined : await readReply(response);
      if (response.ok) void response.body?.cancel().catch(() => undefined);
      return { status: response.status, error: undefined, reply };
    } catch (error) {
      return { status: undefined, error: this.#reason(error, signal.aborted) };
    } finally {
      clearTimeout(timer);
      this.#open.delete(exchange);
    }
  }

  /** Aborts the requests under way, and refuses all later ones. */
  close(): void {
    this.#closed = true;
    for (const exchange of this.#open) exchange.abort();
  }

  #reason(error: unknown, aborted: boolean): string {
    if (this.#closed) return closedError;
    if (aborted) return `no response within ${this.#timeoutMs} ms`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

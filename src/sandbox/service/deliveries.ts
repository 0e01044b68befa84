import { webhookRetryDelaysSeconds } from '../../contract/limits.js';
import type { Account } from './accounts.js';
import type { Clock, Scheduled } from './clock.js';
import type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './delivery.js';
import { eventBody, eventName, signedHeaders } from './delivery-message.js';
import type { Ids } from './ids.js';
import type { SandboxTransaction } from './transactions.js';

interface Delivery extends SandboxDelivery {
  readonly account: Account;
  state: SandboxDelivery['state'];
  readonly attempts: SandboxDeliveryAttempt[];
  nextAttemptAt: Date | undefined;
  retry: Scheduled | undefined;
  retries: number;
}

/** A reordered delivery that nothing follows goes out after all. */
const longestHoldMs = 60_000;

/** So many webhooks are on their way at once; more would use up a small machine's sockets. */
const mostAtOnce = 32;

const wasClosed = 'the sandbox was closed';

/** What the deliveries need of the sandbox. */
interface DeliveriesEnvironment {
  readonly clock: Clock;
  readonly ids: Ids;
  /** ms of real time that a receiver has. */
  readonly timeout: number;
  /** Keeps count of work that `advance` and `idle` wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly onAttempt: (delivery: SandboxDelivery, attempt: SandboxDeliveryAttempt) => void;
}

/** Sends events to their subscribers, and again after each documented delay until one is taken. */
export class Deliveries {
  readonly list: Delivery[] = [];
  readonly #around: DeliveriesEnvironment;
  readonly #open = new Set<AbortController>();
  #closed = false;
  #corruptions: DeliveriesCorruption[] = [];
  #held: Delivery[] = [];
  #sending = 0;
  readonly #queue: (() => void)[] = [];

  constructor(around: DeliveriesEnvironment) {
    this.#around = around;
  }

  /** Tells the client of a settled transaction, if it subscribed. Resolves after the first attempt. */
  async announce(account: Account, transaction: SandboxTransaction): Promise<void> {
    if (!account.subscription?.enabled) return;
    const now = this.#around.clock.now();
    const delivery: Delivery = {
      id: this.#around.ids.deliveryId(),
      account,
      clientId: account.clientId,
      reference: transaction.reference,
      event: eventName(transaction),
      body: eventBody(transaction, now),
      at: new Date(now),
      state: 'pending',
      attempts: [],
      nextAttemptAt: undefined,
      retry: undefined,
      retries: 0,
      redeliver: (options) => this.#send(delivery, 'redelivery', options?.corrupt),
    };
    Object.defineProperty(delivery, 'account', { enumerable: false });
    Object.defineProperty(delivery, 'retry', { enumerable: false });
    this.list.push(delivery);

    const corruption = this.#corruptions.shift();
    if (corruption === 'reordered') return this.#hold(delivery);
    await this.#send(delivery, 'first', corruption === 'duplicate' ? undefined : corruption);
    if (corruption === 'duplicate') await this.#send(delivery, 'duplicate', undefined);
    await this.#releaseHeld();
  }

  /** Makes something wrong with the first attempts of the next `times` deliveries. */
  corrupt(how: DeliveriesCorruption, times: number): void {
    this.#corruptions.push(...Array.from({ length: times }, () => how));
  }

  /** Ends what is under way. */
  close(): void {
    this.#closed = true;
    for (const exchange of this.#open) exchange.abort();
  }

  #hold(delivery: Delivery): void {
    this.#held.push(delivery);
    this.#around.clock.schedule(longestHoldMs, () => this.#releaseHeld());
  }

  async #releaseHeld(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    for (const delivery of held) await this.#send(delivery, 'first', undefined);
  }

  #send(
    delivery: Delivery,
    reason: SandboxDeliveryAttempt['reason'],
    corruption: DeliveryCorruption | undefined,
  ): Promise<SandboxDeliveryAttempt> {
    return this.#around.track(this.#attempt(delivery, reason, corruption));
  }

  async #attempt(
    delivery: Delivery,
    reason: SandboxDeliveryAttempt['reason'],
    corruption: DeliveryCorruption | undefined,
  ): Promise<SandboxDeliveryAttempt> {
    await this.#slot();
    const now = this.#around.clock.now();
    const { url, secret } = delivery.account.subscription ?? { url: '', secret: '' };
    const headers = signedHeaders(delivery, secret, now, corruption);
    const started = performance.now();
    const response = await this.#post(url, headers, delivery.body);
    this.#free();
    const attempt: SandboxDeliveryAttempt = {
      number: delivery.attempts.length + 1,
      at: new Date(now),
      reason,
      url,
      headers,
      corruption,
      ...response,
      delivered: response.status !== undefined && response.status >= 200 && response.status < 300,
      durationMs: Math.round(performance.now() - started),
    };
    delivery.attempts.push(attempt);
    this.#conclude(delivery, attempt);
    this.#around.onAttempt(delivery, attempt);
    return attempt;
  }

  async #slot(): Promise<void> {
    if (this.#sending < mostAtOnce) this.#sending += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  /** Hands the slot to the one that has waited longest. */
  #free(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#sending -= 1;
  }

  #conclude(delivery: Delivery, attempt: SandboxDeliveryAttempt): void {
    if (attempt.delivered) {
      delivery.state = 'delivered';
      delivery.nextAttemptAt = undefined;
      delivery.retry?.cancel();
      return;
    }
    const scheduled = attempt.reason === 'first' || attempt.reason === 'retry';
    if (!scheduled || delivery.state !== 'pending' || this.#closed) return;
    const delaySeconds = webhookRetryDelaysSeconds[delivery.retries];
    if (delaySeconds === undefined) {
      delivery.state = 'failed';
      delivery.nextAttemptAt = undefined;
      return;
    }
    delivery.retries += 1;
    delivery.nextAttemptAt = new Date(this.#around.clock.now() + delaySeconds * 1000);
    delivery.retry = this.#around.clock.schedule(delaySeconds * 1000, () =>
      this.#send(delivery, 'retry', undefined),
    );
  }

  async #post(
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<{ status: number | undefined; error: string | undefined }> {
    if (this.#closed) return { status: undefined, error: wasClosed };
    const exchange = new AbortController();
    const timer = setTimeout(() => exchange.abort(), this.#around.timeout);
    this.#open.add(exchange);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: exchange.signal,
      });
      void response.body?.cancel().catch(() => undefined);
      return { status: response.status, error: undefined };
    } catch (error) {
      return { status: undefined, error: this.#whyNot(error, exchange.signal.aborted) };
    } finally {
      clearTimeout(timer);
      this.#open.delete(exchange);
    }
  }

  #whyNot(error: unknown, aborted: boolean): string {
    if (this.#closed) return wasClosed;
    if (aborted) return `no response within ${this.#around.timeout} ms`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

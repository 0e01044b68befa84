import { hmacHex } from '#hmac';
import { webhookRetryDelaysSeconds } from '../contract/limits.js';
import { signatureVersion, type WebhookEventName, webhookHeaders } from '../contract/vocabulary.js';
import type { Account } from './accounts.js';
import type { Clock, Scheduled } from './clock.js';
import { isoTime, wireToIso } from './format.js';
import type { Ids } from './ids.js';
import { type SandboxTransaction, serviceTypes } from './transactions.js';

/** What can be made wrong with one sending of a webhook. */
export type DeliveryCorruption = 'bad-signature' | 'old-timestamp';

/** What can be made wrong with coming deliveries. */
export type DeliveriesCorruption = DeliveryCorruption | 'duplicate' | 'reordered';

/** One sending of a webhook. */
export interface SandboxDeliveryAttempt {
  /** Counts from 1 within its delivery. */
  readonly number: number;
  /** When, by the sandbox's clock. */
  readonly at: Date;
  /** Why it was sent. */
  readonly reason: 'first' | 'retry' | 'duplicate' | 'redelivery';
  /** Where to. */
  readonly url: string;
  /** All headers as sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** What was made wrong with it. */
  readonly corruption: DeliveryCorruption | undefined;
  /** The receiver's HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** Why there was no answer. */
  readonly error: string | undefined;
  /** Whether the receiver took it: a prompt 2xx. */
  readonly delivered: boolean;
  /** How long the receiver took, in real ms. */
  readonly durationMs: number;
}

/** One event on its way to a receiver, as `sandbox.deliveries` shows it. A live view. */
export interface SandboxDelivery {
  /** The `X-Service-Delivery-ID`: the same over all attempts. */
  readonly id: string;
  /** The subscribed client. */
  readonly clientId: string;
  /** The transaction that settled. */
  readonly reference: string;
  /** `transaction.completed` or `transaction.failed`. */
  readonly event: WebhookEventName;
  /** The exact body, the same at every attempt. */
  readonly body: string;
  /** When the event was made, by the sandbox's clock. */
  readonly at: Date;
  /** `pending` while attempts are left, `delivered` after a prompt 2xx, `failed` after the last attempt. */
  readonly state: 'pending' | 'delivered' | 'failed';
  /** What was sent so far. */
  readonly attempts: readonly SandboxDeliveryAttempt[];
  /** When the next retry is due; undefined when none is. */
  readonly nextAttemptAt: Date | undefined;
  /**
   * Sends it once more, now; resolves when the receiver has answered or not.
   *
   * @example
   * ```ts
   * await sandbox.deliveries[0]?.redeliver({ corrupt: 'bad-signature' }); // the receiver must refuse it
   * ```
   */
  redeliver(options?: {
    /** What to make wrong: another digest, or a stamp of three days ago (signed correctly). */
    readonly corrupt?: DeliveryCorruption;
  }): Promise<SandboxDeliveryAttempt>;
}

interface Delivery extends SandboxDelivery {
  readonly account: Account;
  state: SandboxDelivery['state'];
  readonly attempts: SandboxDeliveryAttempt[];
  nextAttemptAt: Date | undefined;
  retry: Scheduled | undefined;
  retries: number;
}

/** The event of a settled transaction. The token stands in it for electricity only, as service.md documents. */
export function eventBody(transaction: SandboxTransaction, now: number): string {
  const completed = transaction.completed_at;
  return JSON.stringify({
    event: eventName(transaction),
    timestamp: isoTime(now),
    signature_version: signatureVersion,
    data: {
      reference: transaction.reference,
      status: transaction.status,
      service_type: serviceTypes[transaction.product],
      amount: transaction.amount,
      token: transaction.product === 'electricity' ? transaction.token : null,
      completed_at: completed === undefined ? isoTime(now) : wireToIso(completed),
      metadata: {},
    },
  });
}

const eventName = ({ status }: SandboxTransaction): WebhookEventName =>
  status === 'success' ? 'transaction.completed' : 'transaction.failed';

/** Older than the whole retry schedule. */
const staleSeconds = 3 * 86_400;

/** A reordered delivery that nothing follows goes out after all. */
const longestHoldMs = 60_000;

/** The headers of one sending. */
export function signedHeaders(
  delivery: Pick<SandboxDelivery, 'id' | 'event' | 'body'>,
  secret: string,
  now: number,
  corruption: DeliveryCorruption | undefined,
): Record<string, string> {
  const seconds = Math.floor(now / 1000) - (corruption === 'old-timestamp' ? staleSeconds : 0);
  const timestamp = String(seconds);
  const digest = hmacHex(secret, timestamp, delivery.body);
  return {
    'Content-Type': 'application/json',
    [webhookHeaders.signature]: corruption === 'bad-signature' ? [...digest].reverse().join('') : digest,
    [webhookHeaders.timestamp]: timestamp,
    [webhookHeaders.event]: delivery.event,
    [webhookHeaders.deliveryId]: delivery.id,
  };
}

/** So many webhooks are on their way at once; more would use up a small machine's sockets. */
const mostAtOnce = 32;

const wasClosed = 'the sandbox was closed';

/** What the deliveries need of the sandbox. */
interface Surroundings {
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
  readonly #around: Surroundings;
  readonly #open = new Set<AbortController>();
  #closed = false;
  #corruptions: DeliveriesCorruption[] = [];
  #held: Delivery[] = [];
  #sending = 0;
  readonly #queue: (() => void)[] = [];

  constructor(around: Surroundings) {
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
    const answer = await this.#post(url, headers, delivery.body);
    this.#free();
    const attempt: SandboxDeliveryAttempt = {
      number: delivery.attempts.length + 1,
      at: new Date(now),
      reason,
      url,
      headers,
      corruption,
      ...answer,
      delivered: answer.status !== undefined && answer.status >= 200 && answer.status < 300,
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
    if (aborted) return `no answer within ${this.#around.timeout} ms`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

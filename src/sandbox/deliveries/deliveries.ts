import { webhookRetryDelaysSeconds } from '../../contract/limits.js';
import { assertOption } from '../../validation/options.js';
import type { Scheduled } from '../lab/agenda.js';
import type { Clock } from '../lab/clock.js';
import { checkRedelivery } from '../lab/fault-options.js';
import type { HandlerScope } from '../lab/handler-scope.js';
import type { Ids } from '../lab/ids.js';
import type { Commit } from '../records/commit.js';
import type { Client, Subscription } from '../rules/clients.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from './delivery.js';
import { eventBody, eventName, signedHeaders } from './delivery-message.js';
import { type SendResult, WebhookSender } from './webhook-sender.js';

/** The data of a delivery, without its connection to the running sandbox. */
export interface StoredDelivery extends Omit<SandboxDelivery, 'redeliver' | 'retryNow'> {
  state: SandboxDelivery['state'];
  readonly attempts: SandboxDeliveryAttempt[];
  nextAttemptAt: Date | undefined;
  /** How many retries were scheduled. */
  retries: number;
}

interface Delivery extends StoredDelivery, Pick<SandboxDelivery, 'redeliver' | 'retryNow'> {
  readonly client: Client;
  retry: Scheduled | undefined;
}

/** A reordered delivery that no other delivery follows is sent after this time, in ms. */
const maxHoldMs = 60_000;

/** The parts of the sandbox that deliveries depend on. */
interface DeliveriesEnvironment {
  readonly clock: Clock;
  readonly ids: Ids;
  /** ms of real time that a receiver has. */
  readonly timeout: number;
  readonly scope: HandlerScope;
  /** How many times a webhook is sent in all, the first time included. */
  readonly maxSends: number;
  /** Receivers that temporarily replace a client's subscription, by client id. */
  readonly interceptors: ReadonlyMap<string, Subscription>;
  /** Keeps count of work that `advance` and `idle` wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly commit: Commit;
}

const noSubscription: Subscription = { url: '', secret: '', enabled: false };

const notEnabled: SendResult = { status: undefined, error: 'not sent: the subscription is not enabled' };

/** Sends events to their subscribers, and again after each documented delay until one attempt succeeds. */
export class Deliveries {
  readonly list: Delivery[] = [];
  readonly #env: DeliveriesEnvironment;
  readonly #sender: WebhookSender;
  readonly #byId = new Map<string, Delivery>();
  readonly #byReference = new Map<string, Delivery>();
  #corruptions: { readonly how: DeliveriesCorruption; times: number }[] = [];
  #isDiscarded = false;
  #held: Delivery[] = [];

  constructor(env: DeliveriesEnvironment) {
    this.#env = env;
    this.#sender = new WebhookSender(env.timeout, env.scope);
  }

  get(id: string): SandboxDelivery | undefined {
    return this.#byId.get(id);
  }

  /** The delivery of a transaction's event: there is at most one, because a transaction settles once. */
  ofTransaction(reference: string): SandboxDelivery | undefined {
    return this.#byReference.get(reference);
  }

  /** Where a client's webhooks go now; undefined for one that did not subscribe. */
  receiverOf({ clientId, subscription }: Client): Subscription | undefined {
    return this.#env.interceptors.get(clientId) ?? subscription;
  }

  /** Sends the event of a settled transaction to its client, if it subscribed. Resolves after the first attempt. */
  async announce(client: Client, transaction: SandboxTransaction): Promise<void> {
    if (!this.receiverOf(client)?.enabled) return;
    const now = this.#env.clock.date();
    const delivery = this.#deliveryOf(client, {
      id: this.#env.ids.deliveryId(),
      clientId: client.clientId,
      reference: transaction.reference,
      event: eventName(transaction),
      body: eventBody(transaction, now.getTime()),
      at: now,
      state: 'pending',
      attempts: [],
      nextAttemptAt: undefined,
      retries: 0,
    });
    this.#env.commit(() => {
      this.#add(delivery);
      return [{ type: 'event', delivery }];
    });

    const corruption = this.#takeCorruption();
    if (corruption === 'reordered') return this.#hold(delivery);
    await this.#send(delivery, 'first', corruption === 'duplicate' ? undefined : corruption);
    if (corruption === 'duplicate') await this.#send(delivery, 'duplicate', undefined);
    await this.#releaseHeld();
  }

  /** Restores a delivery; a pending one is sent when it is due. */
  restore(client: Client, stored: StoredDelivery): void {
    const delivery = this.#deliveryOf(client, stored);
    this.#add(delivery);
    if (stored.state !== 'pending') return;
    const now = this.#env.clock.now();
    if (stored.nextAttemptAt) {
      this.#scheduleRetry(delivery, stored.nextAttemptAt.getTime() - now);
    } else {
      // An attempt was under way, or the first one was not made yet.
      const reason = delivery.attempts.length === 0 ? 'first' : 'retry';
      const wait = delivery.at.getTime() - now;
      delivery.retry = this.#env.clock.schedule(wait, () => this.#send(delivery, reason, undefined));
    }
  }

  /** Corrupts the first attempts of the next `times` deliveries. */
  corrupt(how: DeliveriesCorruption, times: number): void {
    this.#corruptions.push({ how, times });
  }

  /** Aborts the requests under way, and forgets them: a reset has put a new state in the place of this one. */
  discard(): void {
    this.#isDiscarded = true;
    this.close();
  }

  /** Aborts the requests under way. */
  close(): void {
    this.#sender.close();
  }

  #deliveryOf(client: Client, stored: StoredDelivery): Delivery {
    const delivery: Delivery = {
      ...stored,
      client,
      retry: undefined,
      redeliver: async (options) => this.#send(delivery, 'redelivery', checkRedelivery(options).corrupt),
      retryNow: async () => {
        assertOption(delivery.nextAttemptAt, 'delivery', `${delivery.id} has no retry that is scheduled`);
        return this.#retry(delivery);
      },
    };
    // Neither is a part of what is shown or kept.
    return Object.defineProperties(delivery, { client: { enumerable: false }, retry: { enumerable: false } });
  }

  #add(delivery: Delivery): void {
    this.list.push(delivery);
    this.#byId.set(delivery.id, delivery);
    this.#byReference.set(delivery.reference, delivery);
  }

  #takeCorruption(): DeliveriesCorruption | undefined {
    const [next] = this.#corruptions;
    if (!next) return undefined;
    next.times -= 1;
    if (next.times === 0) this.#corruptions.shift();
    return next.how;
  }

  #hold(delivery: Delivery): void {
    this.#held.push(delivery);
    this.#env.clock.schedule(maxHoldMs, () => this.#releaseHeld());
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
    return this.#env.track(this.#attempt(delivery, reason, corruption));
  }

  async #attempt(
    delivery: Delivery,
    reason: SandboxDeliveryAttempt['reason'],
    corruption: DeliveryCorruption | undefined,
  ): Promise<SandboxDeliveryAttempt> {
    await this.#sender.acquire();
    const now = this.#env.clock.now();
    const subscription = this.receiverOf(delivery.client) ?? noSubscription;
    const headers = signedHeaders(delivery, subscription.secret, now, corruption);
    const started = performance.now();
    const result = subscription.enabled
      ? await this.#sender.send(subscription, headers, delivery.body)
      : notEnabled;
    this.#sender.release();
    const attempt: SandboxDeliveryAttempt = {
      number: delivery.attempts.length + 1,
      at: new Date(now),
      reason,
      url: subscription.url,
      headers,
      corruption,
      ...result,
      delivered: result.status !== undefined && result.status >= 200 && result.status < 300,
      durationMs: Math.round(performance.now() - started),
    };
    if (this.#isDiscarded) return attempt;
    this.#env.commit(() => {
      delivery.attempts.push(attempt);
      this.#conclude(delivery, attempt);
      return [{ type: 'delivery', delivery, attempt }];
    });
    return attempt;
  }

  #conclude(delivery: Delivery, attempt: SandboxDeliveryAttempt): void {
    if (attempt.delivered) {
      delivery.state = 'delivered';
      delivery.nextAttemptAt = undefined;
      delivery.retry?.cancel();
      return;
    }
    const scheduled = attempt.reason === 'first' || attempt.reason === 'retry';
    if (!scheduled || delivery.state !== 'pending' || this.#sender.closed) return;
    const delaySeconds =
      delivery.retries + 1 < this.#env.maxSends ? webhookRetryDelaysSeconds[delivery.retries] : undefined;
    if (delaySeconds === undefined) {
      delivery.state = 'failed';
      delivery.nextAttemptAt = undefined;
      return;
    }
    delivery.retries += 1;
    this.#scheduleRetry(delivery, delaySeconds * 1000);
  }

  #scheduleRetry(delivery: Delivery, delayMs: number): void {
    delivery.nextAttemptAt = new Date(this.#env.clock.now() + delayMs);
    delivery.retry = this.#env.clock.schedule(delayMs, () => this.#retry(delivery));
  }

  #retry(delivery: Delivery): Promise<SandboxDeliveryAttempt> {
    delivery.retry?.cancel();
    delivery.nextAttemptAt = undefined;
    return this.#send(delivery, 'retry', undefined);
  }
}

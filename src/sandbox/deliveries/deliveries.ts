import { webhookRetryDelaysSeconds } from '../../contract/vocabulary.js';
import { assertOption } from '../../validation/options.js';
import type { Scheduled } from '../lab/agenda.js';
import type { Clock } from '../lab/clock.js';
import { checkRedelivery } from '../lab/fault-options.js';
import type { Changes } from '../records/changes.js';
import type {
  DeliveriesCorruption,
  DeliveryCorruption,
  SandboxDelivery,
  SandboxDeliveryAttempt,
} from '../records/delivery.js';
import type { SandboxCounts, SandboxTransaction } from '../records/objects.js';
import type { Client, Subscription } from '../service/clients.js';
import type { Ids } from '../service/ids.js';
import { eventBody, eventName, signedHeaders } from './delivery-message.js';
import type { SendResult, WebhookSender } from './webhook-sender.js';

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

/** The parts of the sandbox that deliveries depend on. */
interface DeliveriesEnvironment {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly changes: Changes;
  readonly sender: WebhookSender;
  /** Keeps count of work that `advance` and `idle` wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

const noSubscription: Subscription = { url: '', secret: '', enabled: false };

const notSent = (why: string): SendResult => ({ status: undefined, error: `not sent: ${why}` });

/** Sends events to their subscribers, and again after each documented delay until one attempt succeeds. */
export class Deliveries {
  readonly list: Delivery[] = [];
  readonly #env: DeliveriesEnvironment;
  readonly #byId = new Map<string, Delivery>();
  readonly #byReference = new Map<string, Delivery>();
  #pending = 0;
  #failing = 0;
  #corruptions: { readonly how: DeliveriesCorruption; times: number }[] = [];
  #isDiscarded = false;

  constructor(env: DeliveriesEnvironment) {
    this.#env = env;
  }

  get counts(): SandboxCounts['deliveries'] {
    return { total: this.list.length, pending: this.#pending, failing: this.#failing };
  }

  get(id: string): SandboxDelivery | undefined {
    return this.#byId.get(id);
  }

  /** The delivery of a transaction's event: there is at most one, because a transaction settles once. */
  ofTransaction(reference: string): SandboxDelivery | undefined {
    return this.#byReference.get(reference);
  }

  /** Sends the event of a settled transaction to its client, if it subscribed. Resolves after the first attempt. */
  async announce(client: Client, transaction: SandboxTransaction): Promise<void> {
    if (!client.subscription?.enabled) return;
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
    this.#env.changes.commit(() => {
      this.#add(delivery);
      return [{ type: 'event', delivery }];
    });
    const corruption = this.#takeCorruption();
    await this.#send(delivery, 'first', corruption === 'duplicate' ? undefined : corruption);
    if (corruption === 'duplicate') await this.#send(delivery, 'duplicate', undefined);
  }

  /** Restores a delivery; a pending one is sent when it is due. */
  restore(client: Client, stored: StoredDelivery): void {
    const delivery = this.#deliveryOf(client, stored);
    this.#add(delivery);
    if (stored.state !== 'pending') return;
    const { clock } = this.#env;
    if (stored.nextAttemptAt) {
      this.#scheduleRetry(delivery, stored.nextAttemptAt.getTime() - clock.now());
    } else {
      // An attempt was under way, or the first one was not made yet.
      const reason = delivery.attempts.length === 0 ? 'first' : 'retry';
      delivery.retry = clock.schedule(0, () => this.#send(delivery, reason, undefined));
    }
  }

  /** Corrupts the first attempts of the next `times` deliveries. */
  corrupt(how: DeliveriesCorruption, times: number): void {
    this.#corruptions.push({ how, times });
  }

  /** Forgets what is under way: a reset has put a new state in the place of this one. */
  discard(): void {
    this.#isDiscarded = true;
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
    this.#count(delivery, 1);
  }

  /** Adds a delivery to the counts, or takes it out of them before it changes. */
  #count({ state, attempts }: StoredDelivery, by: 1 | -1): void {
    if (state === 'pending') this.#pending += by;
    if (attempts.at(-1)?.delivered === false) this.#failing += by;
  }

  #takeCorruption(): DeliveriesCorruption | undefined {
    const [next] = this.#corruptions;
    if (!next) return undefined;
    next.times -= 1;
    if (next.times === 0) this.#corruptions.shift();
    return next.how;
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
    const { sender, clock, changes } = this.#env;
    await sender.acquire();
    const at = clock.date();
    const subscription = delivery.client.subscription ?? noSubscription;
    const headers = signedHeaders(delivery, subscription.secret, at.getTime(), corruption);
    const started = performance.now();
    const result = await resultOf(sender, subscription, headers, delivery.body);
    sender.release();
    const attempt: SandboxDeliveryAttempt = {
      number: delivery.attempts.length + 1,
      at,
      reason,
      url: subscription.url,
      headers,
      corruption,
      ...result,
      delivered: result.status !== undefined && result.status >= 200 && result.status < 300,
      durationMs: Math.round(performance.now() - started),
    };
    if (this.#isDiscarded) return attempt;
    changes.commit(() => {
      this.#count(delivery, -1);
      delivery.attempts.push(attempt);
      this.#conclude(delivery, attempt);
      this.#count(delivery, 1);
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
    if (!scheduled || delivery.state !== 'pending' || this.#env.sender.closed) return;
    const delaySeconds = webhookRetryDelaysSeconds[delivery.retries];
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

/** What became of one sending, where there is somewhere to send it to. */
async function resultOf(
  sender: WebhookSender,
  { url, handler, fromHandler, enabled }: Subscription,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<SendResult> {
  if (!enabled) return notSent(url === '' ? 'there is no subscription' : 'the subscription is not enabled');
  if (fromHandler && !handler) {
    return notSent('the handler was of an earlier run of this sandbox; subscribe it again');
  }
  return sender.send(url, handler, { method: 'POST', headers, body });
}

import { webhookHeaders } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/base.js';
import {
  instance,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  text,
  unchecked,
} from '../validation/options.js';
import { hmacHex } from './hmac.js';
import { parseJson, type RawBody, rawBodyOf } from './request.js';
import { assertSecret } from './secret.js';

/** Options for `signWebhook`. */
export interface SignWebhookOptions {
  /** The body exactly as it will be sent. */
  body: RawBody;
  /** The subscription's `whsec_` secret. */
  secret: string | undefined;
  /** The time of the signature (default: now), sent in whole seconds. */
  timestamp?: Date | undefined;
  /** The `X-Service-Delivery-ID` (default: a new UUID). */
  deliveryId?: string | undefined;
  /** The `X-Service-Event` (default: the body's `event`). */
  event?: string | undefined;
}

/** The five headers of a delivery. */
export interface SignedWebhookHeaders {
  /** Always JSON. */
  'Content-Type': 'application/json';
  /** HMAC-SHA256 over `{timestamp}.{body}`, lowercase hex. */
  'X-Service-Signature': string;
  /** Unix seconds. */
  'X-Service-Timestamp': string;
  /** The name of the event. */
  'X-Service-Event': string;
  /** A UUID. */
  'X-Service-Delivery-ID': string;
  [name: string]: string;
}

/** A function, so that a bundle that only verifies needs nothing of it. */
const schema = () =>
  optionsOf({
    body: unchecked<RawBody>(),
    secret: unchecked<string | undefined>(),
    timestamp: optional(
      instance<Date>(
        (value) => value instanceof Date && value.getTime() >= 0,
        'must be a valid Date; leave it out for the current time',
      ),
    ),
    deliveryId: optional(text()),
    event: optional(text()),
  } satisfies OptionShape<SignWebhookOptions>);

/**
 * Creates the headers of a delivery as the service does, for tests of your own receiver.
 *
 * @throws ConfigurationError that names the wrong option.
 * @example
 * ```ts
 * const body = JSON.stringify({ event: 'transaction.completed', data: { reference: 'TXN-1' } });
 * const response = await handler(
 *   new Request('https://example.com/webhooks', { method: 'POST', body, headers: signWebhook({ body, secret }) }),
 * );
 * ```
 */
export function signWebhook(options: SignWebhookOptions): SignedWebhookHeaders {
  const given = parseOptions(schema(), options, { owner: 'signWebhook' });
  const { secret, timestamp = new Date(), deliveryId = crypto.randomUUID() } = given;
  assertSecret(secret);
  const body = rawBodyOf(given.body);
  if (body === undefined) {
    throw new ConfigurationError('body', 'must be the text or the bytes that will be sent, not an object');
  }
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  return {
    'Content-Type': 'application/json',
    [webhookHeaders.signature]: hmacHex(secret, seconds, body),
    [webhookHeaders.timestamp]: seconds,
    [webhookHeaders.event]: given.event ?? eventNameOf(body),
    [webhookHeaders.deliveryId]: deliveryId,
  };
}

function eventNameOf(body: string | Uint8Array): string {
  try {
    const parsed: unknown = parseJson(body);
    const name: unknown = typeof parsed === 'object' && parsed !== null && Reflect.get(parsed, 'event');
    if (typeof name === 'string') return name;
  } catch {
    // Not JSON: refused below, as any body without an event.
  }
  throw new ConfigurationError('event', 'is required: the body has no `event` to read it from');
}

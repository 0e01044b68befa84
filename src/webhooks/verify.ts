import type { WebhookEvent } from '../contract/events.js';
import { webhookHeaders, webhookRetryDelaysSeconds } from '../contract/vocabulary.js';
import { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook-errors.js';
import { isRecord } from '../utils/unknown.js';
import {
  instance,
  type OptionShape,
  optional,
  optionsOf,
  parseOptions,
  unchecked,
} from '../validation/options.js';
import { hmacMatches } from './hmac.js';
import { headerOf, parseJson, type RawBody, rawBodyOf, type WebhookHeaders } from './request.js';
import { secretsOf, secretsProblem, type WebhookSecret } from './secret.js';

/** Options for `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /** The body exactly as it arrived: text or bytes, never the parsed object. */
  body: RawBody;
  /** The request's headers: a `Headers`, Node's header object, any plain object or list of pairs, names in any case. */
  headers: WebhookHeaders;
  /**
   * The subscription's `whsec_` secret, or several while one replaces the other. `undefined` compiles and is refused at
   * run time, so `process.env.BILLPAY_WEBHOOK_SECRET` can be passed as it is.
   */
  secret: WebhookSecret;
  /**
   * The maximum age of a delivery in seconds. A timestamp may also be in the future by as much, but by 300 s at most.
   * Default 114,960: the whole retry schedule (1m, 5m, 15m, 30m, 1h, 6h, 24h) plus 5 minutes, because it is not
   * documented whether a retry gets a new timestamp. 0 means zero. Replays within the tolerance are stopped by
   * de-duplication, which `createWebhookHandler` does.
   */
  tolerance?: number | undefined;
  /** The current time (default: the system clock). */
  now?: Date | undefined;
}

const maxAheadSeconds = 300;

const refuse = (reason: WebhookVerificationReason, message: string): never => {
  throw new WebhookVerificationError(reason, message);
};

/**
 * Verifies one webhook delivery and returns its event. The signature is an HMAC-SHA256 over `{timestamp}.{raw body}`, compared
 * in constant time. Synchronous, and the same on every runtime.
 *
 * Verification alone does not prevent an event from being handled twice: de-duplicate by event and
 * `data.reference`, or use `createWebhookHandler`.
 *
 * @returns The body's fields plus `delivery_id`. An event that this version does not know is returned unchanged. A whole number
 *   that JavaScript would round, such as a token beyond 2^53, is text.
 * @throws WebhookVerificationError whose `reason` says which check failed and whose message says what to do.
 * @throws ConfigurationError for a wrong `tolerance` or `now`, and for an unknown option.
 * @example
 * ```ts
 * const event = verifyWebhook({
 *   body: await request.text(),
 *   headers: request.headers,
 *   secret: process.env.BILLPAY_WEBHOOK_SECRET,
 * });
 * if (event.event === 'transaction.completed') await deliver(event.data.reference);
 * ```
 */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookEvent {
  const checked = parseOptions(schema, options, { owner: 'verifyWebhook' });
  return verifyDelivery(checked, checked.now?.getTime() ?? Date.now());
}

/** What a tolerance must be. */
export const tolerance = () =>
  instance<number>(
    (value) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY,
    'must be a finite number of seconds, 0 or more; leave it out for the default',
  );

const schema = /* @__PURE__ */ optionsOf({
  body: unchecked<RawBody>(),
  headers: unchecked<WebhookHeaders>(),
  secret: unchecked<WebhookSecret>(),
  tolerance: optional(tolerance()),
  now: optional(
    instance<Date>(
      (value) => value instanceof Date && !Number.isNaN(value.getTime()),
      'must be a valid Date; leave it out for the current time',
    ),
  ),
} satisfies OptionShape<VerifyWebhookOptions>);

/** A delivery from a framework, which may have parsed its body already. */
interface Delivery extends Pick<VerifyWebhookOptions, 'headers' | 'secret'> {
  body: unknown;
  tolerance?: number | undefined;
}

/** Verifies a delivery whose tolerance has been checked. */
export function verifyDelivery(options: Delivery, nowMs: number): WebhookEvent {
  const problem = secretsProblem(options.secret);
  if (problem) return refuse(problem.reason, problem.message);
  const secrets = secretsOf(options.secret);
  const body = rawBodyOf(options.body) ?? refuse('body_already_parsed', notRaw(options.body));
  const signature = requiredHeader(options.headers, 'signature');
  const timestamp = requiredHeader(options.headers, 'timestamp');

  checkAge(timestamp, nowMs, options.tolerance);
  if (!secrets.some((secret) => hmacMatches(secret, timestamp, body, signature))) refuseSignature(signature);
  return eventOf(body, options.headers);
}

const refuseSignature = (signature: string): never =>
  /^[\da-f]{64}$/i.test(signature)
    ? refuse(
        'signature_mismatch',
        'no secret matches the signature: check that the secret belongs to this subscription and environment and that the body is the exact raw body; otherwise treat the delivery as forged',
      )
    : refuse(
        'malformed_signature',
        `${webhookHeaders.signature} is not 64 hex digits: pass the header on unchanged, and check whether a proxy in front of this server rewrites it`,
      );

/** In lower case, as Node and `Headers` give them. */
const headerNames = {
  signature: /* @__PURE__ */ webhookHeaders.signature.toLowerCase(),
  timestamp: /* @__PURE__ */ webhookHeaders.timestamp.toLowerCase(),
  event: /* @__PURE__ */ webhookHeaders.event.toLowerCase(),
  deliveryId: /* @__PURE__ */ webhookHeaders.deliveryId.toLowerCase(),
};

const requiredHeader = (headers: WebhookHeaders, name: 'signature' | 'timestamp'): string =>
  headerOf(headers, headerNames[name]) ??
  refuse(
    'missing_header',
    `${webhookHeaders[name]} is missing: pass all headers of the request, and configure proxies to keep it`,
  );

const defaultTolerance = /* @__PURE__ */ webhookRetryDelaysSeconds.reduce<number>(
  (total, delay) => total + delay,
  maxAheadSeconds,
);

/** Refuses a timestamp that is not in Unix seconds or is too far from now. */
function checkAge(timestamp: string, nowMs: number, tolerance = defaultTolerance): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    refuse(
      'malformed_timestamp',
      `${webhookHeaders.timestamp} is not Unix seconds: pass the header on unchanged`,
    );
  }
  const age = Math.floor(nowMs / 1000) - Number(timestamp);
  const ahead = Math.min(tolerance, maxAheadSeconds);
  if (age > tolerance) {
    refuse(
      'timestamp_outside_tolerance',
      `the delivery was signed ${age} s ago, which is more than the tolerance of ${tolerance} s: it is a replay of an old delivery, or the clock of this machine is wrong, or the tolerance is too small`,
    );
  }
  if (-age > ahead) {
    refuse(
      'timestamp_outside_tolerance',
      `the delivery was signed ${-age} s in the future, which is more than the ${ahead} s allowed: correct the clock of this machine`,
    );
  }
}

/** Parses the event from a body whose signature has been verified. */
function eventOf(body: string | Uint8Array, headers: WebhookHeaders): WebhookEvent {
  const parsed = jsonOf(body);
  if (!isEvent(parsed)) {
    return refuse(
      'body_incomplete',
      'the body is signed but has no `event` or no `data.reference` as text, so it cannot be handled: contact the service',
    );
  }
  const named = headerOf(headers, headerNames.event);
  if (named !== undefined && named !== parsed.event) {
    refuse(
      'event_header_mismatch',
      `${webhookHeaders.event} differs from the body's \`event\`. Only the body is signed, so something between the service and this server changed the header`,
    );
  }
  parsed.delivery_id = headerOf(headers, headerNames.deliveryId);
  return parsed;
}

function jsonOf(body: string | Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch {
    return refuse(
      'body_not_json',
      'the body is signed but is not JSON, so it cannot be handled: contact the service',
    );
  }
}

const isNonEmptyText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isEvent = (value: unknown): value is WebhookEvent =>
  isRecord(value) &&
  isNonEmptyText(value['event']) &&
  isRecord(value['data']) &&
  isNonEmptyText(value['data']['reference']);

const rawBodyRecipes =
  'Express: express.raw({ type: "application/json" }) on this route, before express.json(); Fastify: a content-type parser with parseAs "buffer"; Next: await request.text(); Nest: NestFactory.create(AppModule, { rawBody: true }) and request.rawBody; Lambda: event.body as it came, decoded where isBase64Encoded';

const notRaw = (body: unknown): string =>
  body === undefined || body === null
    ? `the body is ${body}: pass the raw body of the request. ${rawBodyRecipes}`
    : `the body has been parsed, but the signature is over its exact bytes: pass the raw body. ${rawBodyRecipes}`;

import { hmacMatches } from '#hmac';
import type { WebhookEvent } from '../contract/events.js';
import { webhookRetryDelaysSeconds } from '../contract/limits.js';
import { webhookHeaders } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { WebhookVerificationError, type WebhookVerificationReason } from '../errors/webhook-errors.js';
import { refuseUnknownOptions } from '../validation/options.js';
import { headerOf, type WebhookHeaders } from './headers.js';
import { parseJson, type RawBody, rawBodyOf } from './raw-body.js';
import { asList, secretsProblem, type WebhookSecret } from './secret.js';

/** What `verifyWebhook` is told. */
export interface VerifyWebhookOptions {
  /** The body exactly as it came: text or bytes, never the parsed object. */
  body: RawBody;
  /** The request's headers: a `Headers`, Node's header object, any plain object or list of pairs, names in any case. */
  headers: WebhookHeaders;
  /**
   * The subscription's `whsec_` secret, or several while one replaces the other. `undefined` compiles and is refused at
   * run time, so `process.env.BILLPAY_WEBHOOK_SECRET` can be passed as it is.
   */
  secret: WebhookSecret;
  /**
   * How many seconds old a delivery may be. A stamp from the future may be ahead by as much, but never by more than 300.
   * Default 114,960: the whole retry schedule (1m, 5m, 15m, 30m, 1h, 6h, 24h) plus 5 minutes, because it is not
   * documented whether a retry is stamped anew. 0 means zero. Replays within the tolerance are stopped by
   * de-duplication, which `createWebhookHandler` does.
   */
  tolerance?: number;
  /** The present time (default: the system's). */
  now?: Date;
}

const optionNames = ['body', 'headers', 'secret', 'tolerance', 'now'];
const mostAheadSeconds = 300;

const refuse = (reason: WebhookVerificationReason, message: string): never => {
  throw new WebhookVerificationError(reason, message);
};

/**
 * Verifies one webhook delivery and returns its event (service.md, "Events"): HMAC-SHA256 over `{timestamp}.{raw body}`, compared
 * in constant time. Synchronous, and the same on every runtime.
 *
 * Verifying alone does not stop a delivery from being handled twice: de-duplicate by event and
 * `data.reference`, or use `createWebhookHandler`.
 *
 * @returns The body's fields plus `delivery_id`. An event that this version does not know is returned as it came.
 * @throws WebhookVerificationError whose `reason` says which check failed and whose message says what to do.
 * @throws ConfigurationError for a wrong `tolerance`, `now` or unknown option.
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
  refuseUnknownOptions(options, optionNames, 'verifyWebhook');
  return verifyDelivery(options);
}

/** A delivery as it comes from a framework, which may have parsed its body. */
interface Delivery extends Omit<VerifyWebhookOptions, 'body' | 'tolerance'> {
  body: unknown;
  tolerance?: number | undefined;
}

/** The same for the receiver, whose own options are checked already. */
export function verifyDelivery(options: Delivery): WebhookEvent {
  const problem = secretsProblem(options.secret);
  if (problem) return refuse(problem.reason, problem.message);
  const secrets = asList(options.secret);
  const body = rawBodyOf(options.body) ?? refuse('body_already_parsed', notRaw(options.body));
  const signature = needed(options.headers, 'signature');
  const timestamp = needed(options.headers, 'timestamp');

  checkAge(timestamp, options);
  if (!/^[\da-fA-F]{64}$/.test(signature)) {
    refuse(
      'malformed_signature',
      `${webhookHeaders.signature} is not 64 hex digits: pass the header on unchanged; is something in front of this server rewriting it?`,
    );
  }
  if (!secrets.some((secret) => hmacMatches(secret, timestamp, body, signature))) {
    refuse(
      'signature_mismatch',
      "no secret matches the signature: check that the secret is this subscription's and of this environment, that the body is the exact raw body, and count the delivery as forged otherwise",
    );
  }
  return eventOf(body, options.headers);
}

/** As headers are looked for; the contract has them as the service spells them. */
const lower = {
  signature: 'x-service-signature',
  timestamp: 'x-service-timestamp',
  event: 'x-service-event',
  deliveryId: 'x-service-delivery-id',
} as const satisfies { [Name in keyof typeof webhookHeaders]: Lowercase<(typeof webhookHeaders)[Name]> };

const needed = (headers: WebhookHeaders, name: 'signature' | 'timestamp'): string =>
  headerOf(headers, lower[name]) ??
  refuse(
    'missing_header',
    `${webhookHeaders[name]} is missing: pass all headers of the request, and let proxies keep it`,
  );

const defaultTolerance = /* @__PURE__ */ webhookRetryDelaysSeconds.reduce<number>(
  (total, delay) => total + delay,
  mostAheadSeconds,
);

/** Refuses a stamp that is not Unix seconds or lies too far from now. */
function checkAge(timestamp: string, { tolerance = defaultTolerance, now }: Delivery): void {
  checkTolerance(tolerance);
  const nowMs = now === undefined ? Date.now() : millisecondsOf(now);
  if (!/^\d{1,12}$/.test(timestamp)) {
    refuse(
      'malformed_timestamp',
      `${webhookHeaders.timestamp} is not Unix seconds: pass the header on unchanged`,
    );
  }
  const age = Math.floor(nowMs / 1000) - Number(timestamp);
  const ahead = Math.min(tolerance, mostAheadSeconds);
  if (age > tolerance) {
    refuse(
      'timestamp_outside_tolerance',
      `the delivery was signed ${age} s ago, more than the tolerance of ${tolerance} s: an old delivery sent again, a clock that is wrong here, or a tolerance that is too small`,
    );
  }
  if (-age > ahead) {
    refuse(
      'timestamp_outside_tolerance',
      `the delivery was signed ${-age} s in the future, more than the ${ahead} s allowed: set this machine's clock right`,
    );
  }
}

/** Refuses a tolerance that is not a number of seconds. */
export function checkTolerance(tolerance: unknown): void {
  if (typeof tolerance !== 'number' || !(tolerance >= 0) || tolerance === Number.POSITIVE_INFINITY) {
    throw new ConfigurationError(
      'tolerance',
      'must be a finite number of seconds, 0 or more; leave it out for the default',
    );
  }
}

function millisecondsOf(now: unknown): number {
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime();
  throw new ConfigurationError('now', 'must be a valid Date; leave it out for the present time');
}

/** The event of an authentic body. */
function eventOf(body: string | Uint8Array, headers: WebhookHeaders): WebhookEvent {
  const parsed = jsonOf(body);
  if (!isEvent(parsed)) {
    return refuse(
      'body_incomplete',
      'the body is signed but lacks `event` or `data.reference` as text: this is not a delivery that can be handled; ask the service',
    );
  }
  const named = headerOf(headers, lower.event);
  if (named !== undefined && named !== parsed.event) {
    refuse(
      'event_header_mismatch',
      `${webhookHeaders.event} differs from the body's \`event\`: only the body is signed, so something on the way changed the header`,
    );
  }
  parsed.delivery_id = headerOf(headers, lower.deliveryId);
  return parsed;
}

function jsonOf(body: string | Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch {
    return refuse(
      'body_not_json',
      'the body is signed but not JSON: this is not a delivery that can be handled',
    );
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isEvent = (value: unknown): value is WebhookEvent =>
  isRecord(value) && isText(value['event']) && isRecord(value['data']) && isText(value['data']['reference']);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const rawBodyRecipes =
  'Express: express.raw({ type: "application/json" }) on this route, before express.json(); Fastify: a content-type parser with parseAs "buffer"; Next: await request.text(); Nest: NestFactory.create(AppModule, { rawBody: true }) and request.rawBody';

const notRaw = (body: unknown): string =>
  body === undefined || body === null
    ? `the body is ${body}: give the raw body of the request. ${rawBodyRecipes}`
    : `the body was parsed already, and the signature is over its exact bytes: give the raw body. ${rawBodyRecipes}`;

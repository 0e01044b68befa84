import type { WebhookEvent } from '../contract/events.js';
import { ConfigurationError } from '../errors/base.js';
import { WebhookVerificationError } from '../errors/webhook-errors.js';
import { callSafely } from '../utils/functions.js';
import { assertOption } from '../validation/options.js';
import type { DedupeStore } from './dedupe/dedupe.js';
import { memoryDedupe } from './dedupe/memory-dedupe.js';
import { isNodeResponse, writeNodeResponse } from './node.js';
import { eventKey, processOnce } from './once.js';
import {
  handlerOf,
  type ReceiverSettings,
  receiverSettings,
  type WebhookDeliveryRecord,
  type WebhookHandlerOptions,
} from './receiver-options.js';
import { headerOf, rawBodyOf, type WebhookHeaders } from './request.js';
import {
  createReporter,
  Refusal,
  responseForReason,
  responses,
  verificationReason,
  type WebhookDelivery,
  type WebhookHandler,
  type WebhookResponse,
} from './respond.js';
import { secretsProblem } from './secret.js';
import { verifyDelivery } from './verify.js';

/**
 * Creates a receiver of webhooks. It verifies each delivery, passes each event to your handler once, and responds so that the
 * service delivers again whatever went wrong.
 *
 * | response | when |
 * |---|---|
 * | 200 | the handler's promise resolved; or the event was handled before; or there is no handler for it |
 * | 400 | signed, but not a delivery (not JSON, no event or reference); or the body broke off |
 * | 401 | the signature, its timestamp or a header does not verify |
 * | 405, 408, 413 | not a POST; the body did not arrive within `timeout`; larger than `maxBodyBytes` |
 * | 500 | the handler threw, or the raw body or the secret is not available (the log line says why) |
 * | 503 | the handler threw a `RetryLaterError` or is slower than `timeout`; another run has the same event; or the store failed |
 *
 * @throws ConfigurationError that names the wrong option.
 * @example
 * ```ts
 * export const POST = createWebhookHandler({
 *   secret: process.env.BILLPAY_WEBHOOK_SECRET,
 *   dedupe: redisDedupe(redis),
 *   on: {
 *     'transaction.completed': async (event) => markDelivered(event.data.reference, event.data.token),
 *     'transaction.failed': async (event) => refundCustomer(event.data.reference),
 *   },
 * });
 * ```
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const settings = receiverSettings(options);
  const { timeout, maxBodyBytes, onDelivery } = settings;
  const report = createReporter(settings);
  warnOfMissingSecret(settings);
  const dedupe = settings.dedupe ?? defaultDedupe(settings);

  /** Responds to one delivery, reports why it was refused, and tells `onDelivery`. */
  async function respond(
    process: (findings: Findings) => Promise<WebhookResponse>,
  ): Promise<WebhookResponse> {
    const startedAt = performance.now();
    const findings: Findings = {};
    const response = await process(findings).catch((thrown: unknown) => {
      // Anything else comes from a delivery that cannot be read, such as none at all.
      const refusal = thrown instanceof Refusal ? thrown : new Refusal(responses.failed(), 'request', thrown);
      const { stage, error, response } = refusal;
      if (stage) report(error, { stage });
      const reason = verificationReason(error);
      if (reason) findings.reason = reason;
      return response;
    });
    const durationMs = performance.now() - startedAt;
    callSafely(() => onDelivery?.({ status: response.status, durationMs, ...findings }));
    return response;
  }

  const receive = (delivery: WebhookDelivery): Promise<WebhookResponse> =>
    respond(async (findings) => {
      if (String(delivery.method).toUpperCase() !== 'POST') return responses.methodNotAllowed();
      // One timer bounds both reading and handling.
      let timer: ReturnType<typeof setTimeout> | undefined;
      const elapsed = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeout);
      });
      try {
        const body = await readBody(delivery.headers, delivery.body, { maxBodyBytes, timeout, elapsed });
        const event = verify(delivery, body, settings);
        findings.event = event.event;
        return await handle(event, elapsed);
      } finally {
        clearTimeout(timer);
      }
    });

  async function handle(event: WebhookEvent, elapsed: Promise<void>): Promise<WebhookResponse> {
    const run = handlerOf(settings.handlers, event);
    if (!run) return responses.ok();
    const processed = processOnce(dedupe, eventKey(event), run, (error, stage) =>
      report(error, { stage, event }),
    );
    const slow = elapsed.then(() => {
      const error = new Error(
        `the handler has not finished within the timeout of ${timeout} ms; it keeps running`,
      );
      report(error, { stage: 'timeout', event });
      return responses.retryLater();
    });
    return Promise.race([processed, slow]);
  }

  async function handler(request: Request, nodeResponse?: unknown): Promise<Response> {
    const refusal = requestRefusal(request, nodeResponse);
    const response = await (refusal ? respond(() => Promise.reject(refusal)) : receive(deliveryOf(request)));
    if (isNodeResponse(nodeResponse)) writeNodeResponse(nodeResponse, response);
    return new Response(response.body, { status: response.status, headers: response.headers });
  }

  return Object.assign(handler, { receive });
}

const deliveryOf = ({ method, headers, body }: Request): WebhookDelivery => ({
  method,
  headers,
  body: body ?? '',
});

/**
 * A module may be loaded where there are no secrets, as `next build` does, so a missing secret refuses each delivery and not the
 * handler. The service delivers again, so that a secret that is set later loses nothing.
 */
function warnOfMissingSecret({ secret, logger }: ReceiverSettings): void {
  const problem = secretsProblem(secret);
  if (!problem) return;
  callSafely(() =>
    logger.warn(`billpay webhooks: ${problem.message}. Until then every delivery gets a 500 response`, {
      option: 'secret',
    }),
  );
}

/** The default store. It protects one process only, which matters as soon as there is a second one. */
function defaultDedupe({ logger }: ReceiverSettings): DedupeStore {
  if (globalThis.process?.env?.['NODE_ENV'] === 'production') {
    callSafely(() =>
      logger.warn(
        'billpay webhooks: events are de-duplicated in the memory of this process alone. Several processes, restarts and serverless functions need a shared store: dedupe: redisDedupe(client) or postgresDedupe(pool). For one process, dedupe: memoryDedupe() removes this warning.',
        { option: 'dedupe' },
      ),
    );
  }
  return memoryDedupe();
}

/** What becomes known of a delivery while it is processed. */
type Findings = { -readonly [Name in 'event' | 'reason']?: WebhookDeliveryRecord[Name] };

/** @throws Refusal when the delivery does not verify. */
function verify(
  { headers }: WebhookDelivery,
  body: unknown,
  { secret, tolerance, now }: ReceiverSettings,
): WebhookEvent {
  try {
    return verifyDelivery({ body, headers, secret, tolerance }, currentMs(now));
  } catch (error) {
    throw new Refusal(responseForReason(verificationReason(error)), 'verify', error);
  }
}

function currentMs(now: ReceiverSettings['now']): number {
  const time: unknown = now();
  // Of an asynchronous function: refused below.
  if (time instanceof Promise) time.catch(() => {});
  const ms = time instanceof Date ? time.getTime() : time;
  assertOption(
    typeof ms === 'number' && Number.isFinite(ms),
    'now',
    'must return a valid Date or a number of ms since 1970',
  );
  return ms;
}

/**
 * Why a handler that was created for `Request` and `Response` cannot use these arguments; undefined when it can. A server
 * without the right adapter calls it with something else, and the sender would otherwise wait for a response that never comes.
 */
function requestRefusal(request: unknown, nodeResponse: unknown): Refusal | undefined {
  if (isNodeResponse(nodeResponse)) {
    return wrongCall(
      "was called with Node's request and response, as node:http, Express and Next's pages/api do: mount toNodeHandler(handler) instead of the handler itself",
    );
  }
  // Of any realm or polyfill.
  const { method, headers, bodyUsed } = Object(request);
  if (typeof method !== 'string' || typeof Object(headers).get !== 'function') {
    return wrongCall(
      'was called with something that is not a Request. Hono: handler(c.req.raw); SvelteKit and Astro: handler(event.request); Fastify, AWS Lambda and others: handler.receive({ method, headers, body })',
    );
  }
  if (!bodyUsed) return undefined;
  const error = new WebhookVerificationError(
    'body_already_parsed',
    'the body of this request was read before the handler received it: pass the request on unread, or pass what was read to handler.receive({ method, headers, body })',
  );
  return new Refusal(responseForReason(error.reason), 'verify', error);
}

const wrongCall = (problem: string): Refusal =>
  new Refusal(responses.failed(), 'request', new ConfigurationError('handler', problem));

/** How much is read, and for how long. */
interface ReadLimits {
  readonly maxBodyBytes: number;
  /** In ms, for the message. */
  readonly timeout: number;
  /** Resolves after the timeout. */
  readonly elapsed: Promise<void>;
}

/**
 * Reads a whole body: text or bytes, a web `ReadableStream` or a Node stream. Whatever else a framework has made of it is returned as it is.
 *
 * @throws Refusal when it is too large, does not arrive in time, or breaks off.
 */
export async function readBody(headers: WebhookHeaders, body: unknown, limits: ReadLimits): Promise<unknown> {
  try {
    if (Number(headerOf(headers, 'content-length')) > limits.maxBodyBytes) throw tooLarge();
    const raw = rawBodyOf(body);
    if (raw !== undefined && raw.length > limits.maxBodyBytes) throw tooLarge();
    return raw ?? (isBodyStream(body) ? await readStream(body, limits) : body);
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(responses.badRequest(), 'read', error);
  }
}

const tooLarge = (): Refusal => new Refusal(responses.tooLarge());

type BodyStream = AsyncIterable<Uint8Array>;

const isBodyStream = (value: unknown): value is BodyStream =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function readStream(
  stream: BodyStream,
  { maxBodyBytes, timeout, elapsed }: ReadLimits,
): Promise<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  const timedOut = elapsed.then(() => 'timed_out' as const);
  const read: Uint8Array[] = [];
  let length = 0;
  const stop = (refusal: Refusal): Refusal => {
    // Not awaited: a stream that waits for its next chunk ends only after that chunk.
    callSafely(() => chunks.return?.());
    return refusal;
  };
  for (;;) {
    const step = await Promise.race([chunks.next(), timedOut]);
    if (step === 'timed_out') {
      const error = new Error(`the body has not arrived within the timeout of ${timeout} ms`);
      throw stop(new Refusal(responses.requestTimeout(), 'read', error));
    }
    if (step.done) return joined(read, length);
    length += step.value.byteLength;
    if (length > maxBodyBytes) throw stop(tooLarge());
    read.push(step.value);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

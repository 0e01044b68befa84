import { isKnownEvent, type WebhookEvent } from '../../contract/events.js';
import { WebhookVerificationError, type WebhookVerificationReason } from '../../errors/webhook-errors.js';
import { callSafely } from '../../utils/call-safely.js';
import { assertOption } from '../../validation/options.js';
import type { DedupeStore } from '../dedupe/dedupe.js';
import { memoryDedupe } from '../dedupe/memory-dedupe.js';
import { headerOf, type WebhookHeaders } from '../headers.js';
import { rawBodyOf } from '../raw-body.js';
import { secretsProblem } from '../secret.js';
import { verifyDelivery } from '../verify.js';
import { eventKey } from './event-key.js';
import { argumentProblem } from './misuse.js';
import { isNodeResponse, writeNodeResponse } from './node-response.js';
import { processOnce } from './process-once.js';
import { isBodyStream, readStream } from './read-body.js';
import {
  handlerOf,
  type ReceiverSettings,
  receiverSettings,
  type WebhookDeliveryRecord,
  type WebhookHandlerOptions,
} from './receiver-options.js';
import { createReporter, type Report, verificationReason } from './report.js';
import { responseForReason, responses, type WebhookResponse, withReason } from './responses.js';

/** A delivery as an adapter passes it on. */
export interface WebhookDelivery {
  /** The HTTP method. */
  readonly method: string | undefined;
  /** The request's headers in any form that `verifyWebhook` accepts. */
  readonly headers: WebhookHeaders;
  /**
   * The raw body as text or bytes, or a stream of bytes. A parsed body cannot be verified: the response is 500, and the log
   * line says what to do.
   */
  readonly body: unknown;
  /**
   * Whether the caller is on this machine, such as a sandbox (default: false): a refusal then names its reason in the header
   * `X-Billpay-Reason`. `toNodeHandler` sees it by the connection.
   */
  readonly isLocal?: boolean | undefined;
}

/** A function from `Request` to `Response`, as Next, Hono, Bun, Deno and Workers use it. `toNodeHandler` adapts it to Node. */
export interface WebhookHandler {
  (request: Request): Promise<Response>;
  /** The same for everything else, such as a function behind an API gateway or Fastify's own body. Never rejects. */
  receive(delivery: WebhookDelivery): Promise<WebhookResponse>;
}

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
  const report = createReporter(settings);
  warnOfMissingSecret(settings);
  const dedupe = settings.dedupe ?? defaultDedupe(settings);

  /** Reports a delivery to `onDelivery` once its response is known. */
  async function observed(
    process: (findings: Findings) => Promise<WebhookResponse>,
  ): Promise<WebhookResponse> {
    const startedAt = performance.now();
    const findings: Findings = {};
    const response = await process(findings);
    const durationMs = performance.now() - startedAt;
    callSafely(() => settings.onDelivery?.({ status: response.status, durationMs, ...findings }));
    return response;
  }

  const receive = (delivery: WebhookDelivery): Promise<WebhookResponse> =>
    observed((findings) => receiveInTime(delivery, findings));

  async function receiveInTime(delivery: WebhookDelivery, findings: Findings): Promise<WebhookResponse> {
    if (String(delivery.method).toUpperCase() !== 'POST') return responses.methodNotAllowed();
    const timer = startTimer(settings.timeout);
    try {
      return await respond(delivery, timer.elapsed, findings);
    } finally {
      timer.stop();
    }
  }

  async function respond(
    { headers, body, isLocal }: WebhookDelivery,
    elapsed: Promise<void>,
    findings: Findings,
  ): Promise<WebhookResponse> {
    const read = await readBody(headers, body, settings, elapsed, report);
    if (read.response) return read.response;
    const { event, reason, response } = verifyEvent(headers, read.body, settings, report);
    if (reason) findings.reason = reason;
    if (response) return isLocal ? withReason(response, reason) : response;
    findings.event = event.event;
    publish(event, settings, report);
    const handle = handlerOf(settings.handlers, event);
    if (!handle) return responses.ok();
    const processed = processOnce(dedupe, eventKey(event), handle, (error, stage) =>
      report(error, { stage, event }),
    );
    const slow = elapsed.then(() => {
      const error = new Error(
        `the handler has not finished within the timeout of ${settings.timeout} ms; it keeps running`,
      );
      report(error, { stage: 'timeout', event });
      return responses.retryLater();
    });
    return Promise.race([processed, slow]);
  }

  async function handler(request: Request, nodeResponse?: unknown): Promise<Response> {
    const problem = argumentProblem(request, nodeResponse);
    if (problem) report(problem, { stage: 'request' });
    const response = problem ? await observed(async () => responses.failed()) : await receiveRequest(request);
    if (problem && isNodeResponse(nodeResponse)) writeNodeResponse(nodeResponse, response);
    return new Response(response.body, { status: response.status, headers: response.headers });
  }

  async function receiveRequest({ method, headers, body, bodyUsed }: Request): Promise<WebhookResponse> {
    if (!bodyUsed) return receive({ method, headers, body: body ?? '' });
    const error = new WebhookVerificationError(
      'body_already_parsed',
      'the body of this request was read before the handler received it: pass the request on unread, or pass what was read to handler.receive({ method, headers, body })',
    );
    report(error, { stage: 'verify' });
    return observed(async (findings) => {
      findings.reason = error.reason;
      return responseForReason(error.reason);
    });
  }

  return Object.assign(handler, { receive });
}

/**
 * A module may be loaded where there are no secrets, as `next build` does, so a missing secret refuses each delivery and not the
 * handler. The service delivers again, so that a secret that is set later loses nothing.
 */
function warnOfMissingSecret({ secret, logger }: ReceiverSettings): void {
  const problem = secretsProblem(secret);
  if (!problem) return;
  callSafely(() =>
    logger.warn(`billpay webhooks: ${problem.message}. Until then every delivery gets a 500 response`, {}),
  );
}

/** The default store. It protects one process only, which matters as soon as there is a second one. */
function defaultDedupe({ logger }: ReceiverSettings): DedupeStore {
  if (globalThis.process?.env?.['NODE_ENV'] === 'production') {
    logger.warn(
      'billpay webhooks: events are de-duplicated in the memory of this process alone. Several processes, restarts and serverless functions need a shared store: dedupe: redisDedupe(client) or postgresDedupe(pool). For one process, dedupe: memoryDedupe() removes this warning.',
      {},
    );
  }
  return memoryDedupe();
}

/** Starts the one timer of a delivery, which bounds both reading and handling it. */
function startTimer(ms: number): { readonly elapsed: Promise<void>; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { elapsed, stop: () => clearTimeout(timer) };
}

/** What becomes known of a delivery while it is processed. */
type Findings = { -readonly [Name in 'event' | 'reason']?: WebhookDeliveryRecord[Name] };

type ReadResult = { body: unknown; response?: undefined } | { response: WebhookResponse };

/** Reads the whole body, but no more than `maxBodyBytes` and for no longer than the timeout. */
async function readBody(
  headers: WebhookHeaders,
  body: unknown,
  { maxBodyBytes, timeout }: ReceiverSettings,
  elapsed: Promise<void>,
  report: Report,
): Promise<ReadResult> {
  try {
    if (Number(headerOf(headers, 'content-length')) > maxBodyBytes) return { response: responses.tooLarge() };
    const raw = rawBodyOf(body);
    if (raw !== undefined)
      return raw.length > maxBodyBytes ? { response: responses.tooLarge() } : { body: raw };
    if (!isBodyStream(body)) return { body };
    const bytes = await readStream(body, maxBodyBytes, elapsed);
    if (bytes === 'too_large') return { response: responses.tooLarge() };
    if (bytes !== 'timed_out') return { body: bytes };
    report(new Error(`the body has not arrived within the timeout of ${timeout} ms`), { stage: 'read' });
    return { response: responses.requestTimeout() };
  } catch (error) {
    report(error, { stage: 'read' });
    return { response: responses.badRequest() };
  }
}

type VerifyResult =
  | { event: WebhookEvent; reason?: undefined; response?: undefined }
  | {
      event?: undefined;
      reason: WebhookVerificationReason | undefined;
      response: WebhookResponse;
    };

function verifyEvent(
  headers: WebhookHeaders,
  body: unknown,
  { secret, tolerance, now }: ReceiverSettings,
  report: Report,
): VerifyResult {
  try {
    return { event: verifyDelivery({ body, headers, secret, tolerance }, currentMs(now)) };
  } catch (error) {
    report(error, { stage: 'verify' });
    const reason = verificationReason(error);
    return { reason, response: responseForReason(reason) };
  }
}

function currentMs(now: ReceiverSettings['now']): number {
  const time: unknown = now();
  const ms = time instanceof Date ? time.getTime() : time;
  assertOption(
    typeof ms === 'number' && Number.isFinite(ms),
    'now',
    'must return a valid Date or a number of ms since 1970',
  );
  return ms;
}

/** Ends the waits for a settlement. They look up the status next, so it does not matter whether the handler succeeds. */
function publish(event: WebhookEvent, { events }: ReceiverSettings, report: Report): void {
  if (!events || !isKnownEvent(event)) return;
  try {
    events.publish(event);
  } catch (error) {
    report(error, { stage: 'handle', event });
  }
}

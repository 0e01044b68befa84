import { isKnownEvent, type WebhookEvent } from '../../contract/events.js';
import { redactText } from '../../errors/redact.js';
import { WebhookVerificationError } from '../../errors/webhook-errors.js';
import type { DedupeStore } from '../dedupe/dedupe.js';
import { memoryDedupe } from '../dedupe/memory-dedupe.js';
import { headerOf, type WebhookHeaders } from '../headers.js';
import { rawBodyOf } from '../raw-body.js';
import { verifyDelivery } from '../verify.js';
import { once } from './process-once.js';
import { isBodyStream, readAtMost } from './read-body.js';
import {
  handlerOf,
  type ReceiverSettings,
  receiverSettings,
  type WebhookFailure,
  type WebhookHandlerOptions,
} from './receiver-options.js';
import { answers, answerTo, type WebhookAnswer } from './responses.js';

/** A delivery as an adapter hands it over. */
export interface WebhookDelivery {
  /** The HTTP method. */
  readonly method: string | undefined;
  /** The request's headers in any form that `verifyWebhook` takes. */
  readonly headers: WebhookHeaders;
  /** The raw body as text or bytes, or the stream that brings it. A parsed one is answered 500, with a log line that says what to do. */
  readonly body: unknown;
}

/** What `createWebhookHandler` gives: a function for everything that speaks `Request` and `Response`. */
export interface WebhookHandler {
  (request: Request): Promise<Response>;
  /** The same for everything else, such as a function behind an API gateway or Fastify's own body. Never rejects. */
  receive(delivery: WebhookDelivery): Promise<WebhookAnswer>;
}

/** Tells of a failure. */
type Report = (error: unknown, failure: WebhookFailure) => void;

/**
 * Makes a receiver of webhooks: verified, each event handled once, answered so that none is lost (service.md, "Events").
 *
 * | answer | when |
 * |---|---|
 * | 200 | the handler's promise resolved; or the event was handled before; or nothing handles it |
 * | 400 | signed, but not a delivery (not JSON, no event or reference) |
 * | 401 | the signature, its timestamp or a header does not verify |
 * | 405, 413 | not a POST; larger than `maxBodyBytes` |
 * | 500 | the handler threw, or the raw body is not to be had (the log says why): the service delivers again |
 * | 503 | the handler is slower than `timeout`, another run is handling the same event, or the store failed: delivered again |
 *
 * @throws ConfigurationError naming the option that is wrong.
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
  const report = reporter(settings);
  const dedupe = settings.dedupe ?? defaultDedupe(settings);

  async function receive({ method, headers, body }: WebhookDelivery): Promise<WebhookAnswer> {
    if (method?.toUpperCase() !== 'POST') return answers.wrongMethod();
    const read = await readBody(headers, body, settings, report);
    if (read.answer) return read.answer;
    const { event, answer } = verified(headers, read.body, settings, report);
    if (answer) return answer;
    publish(event, settings, report);
    const handle = handlerOf(settings.handlers, event);
    if (!handle) return answers.done();
    const key = `${event.event}:${event.data.reference}`;
    const work = once(dedupe, key, handle, (error, stage) => report(error, { stage, event }));
    return within(settings.timeout, work, () => {
      const error = new Error(`the handler is slower than the timeout of ${settings.timeout} ms; it goes on`);
      report(error, { stage: 'timeout', event });
    });
  }

  async function handler(request: Request): Promise<Response> {
    const { status, headers, body } = request.bodyUsed
      ? wasRead(report)
      : await receive({ method: request.method, headers: request.headers, body: request.body ?? '' });
    return new Response(body, { status, headers });
  }

  return Object.assign(handler, { receive });
}

/** The default store; its limits matter as soon as there is a second process. */
function defaultDedupe({ logger }: ReceiverSettings): DedupeStore {
  if (globalThis.process?.env?.['NODE_ENV'] === 'production') {
    logger.warn(
      'billpay webhooks: events are de-duplicated in the memory of this process alone. Several processes, restarts and serverless functions need a shared store: dedupe: redisDedupe(client) or postgresDedupe(pool). For one process, dedupe: memoryDedupe() ends this warning.',
      {},
    );
  }
  return memoryDedupe();
}

type Read = { body: unknown; answer?: undefined } | { answer: WebhookAnswer };

/** The whole body, read no further than it may be long. */
async function readBody(
  headers: WebhookHeaders,
  body: unknown,
  { maxBodyBytes }: ReceiverSettings,
  report: Report,
): Promise<Read> {
  if (Number(headerOf(headers, 'content-length')) > maxBodyBytes) return { answer: answers.tooLarge() };
  const raw = rawBodyOf(body);
  if (raw !== undefined) return raw.length > maxBodyBytes ? { answer: answers.tooLarge() } : { body: raw };
  if (!isBodyStream(body)) return { body };
  try {
    const bytes = await readAtMost(body, maxBodyBytes);
    return bytes ? { body: bytes } : { answer: answers.tooLarge() };
  } catch (error) {
    report(error, { stage: 'read' });
    return { answer: answers.unreadable() };
  }
}

type Verified = { event: WebhookEvent; answer?: undefined } | { event?: undefined; answer: WebhookAnswer };

function verified(
  headers: WebhookHeaders,
  body: unknown,
  { secret, tolerance }: ReceiverSettings,
  report: Report,
): Verified {
  try {
    return { event: verifyDelivery({ body, headers, secret, tolerance }) };
  } catch (error) {
    report(error, { stage: 'verify' });
    return { answer: answerTo(reasonOf(error)) };
  }
}

function wasRead(report: Report): WebhookAnswer {
  const error = new WebhookVerificationError(
    'body_already_parsed',
    'the body of this request was read before the handler got it: hand the request over unread, or give what was read to handler.receive({ method, headers, body })',
  );
  report(error, { stage: 'verify' });
  return answerTo(reasonOf(error));
}

/** Tells waits of a settlement. They look at the status next, so it does not matter whether the handler succeeds. */
function publish(event: WebhookEvent, { events }: ReceiverSettings, report: Report): void {
  if (!events || !isKnownEvent(event)) return;
  try {
    events.publish(event);
  } catch (error) {
    report(error, { stage: 'handle', event });
  }
}

/** The answer of the work, or 503 when it takes too long. The work goes on. */
async function within(
  timeout: number,
  work: Promise<WebhookAnswer>,
  onSlow: () => void,
): Promise<WebhookAnswer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<WebhookAnswer>((resolve) => {
    timer = setTimeout(() => {
      onSlow();
      resolve(answers.comeBack());
    }, timeout);
  });
  try {
    return await Promise.race([work, slow]);
  } finally {
    clearTimeout(timer);
  }
}

/** One log line and one call of `onError` for each failure; neither can break the answer. */
function reporter({ logger, onError }: ReceiverSettings): Report {
  return (error, failure) => {
    const { stage, event } = failure;
    const level = stage === 'verify' || stage === 'read' || stage === 'timeout' ? 'warn' : 'error';
    const fields = { stage, reason: reasonOf(error), event: event?.event, reference: event?.data.reference };
    quietly(() => logger[level](`billpay webhooks: ${lineOf(error)}`, fields));
    quietly(() => onError?.(error, failure));
  };
}

const reasonOf = (error: unknown) => (error instanceof WebhookVerificationError ? error.reason : undefined);

const lineOf = (error: unknown): string =>
  redactText(error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/** Runs what a caller gave for information only; a promise it returns is not waited for. */
async function quietly(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch {
    // Telling of a failure must not become another one.
  }
}

import { callSafely } from '../utils/functions.js';
import { headerOf, rawBodyOf, type WebhookHeaders } from './request.js';
import { Refusal, responses } from './respond.js';

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

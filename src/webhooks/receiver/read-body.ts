import { callSafely } from '../../utils/call-safely.js';

/** A body that is still arriving. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** Whether a value is a stream of bytes, such as a web `ReadableStream` or a Node stream. */
export const isBodyStream = (value: unknown): value is BodyStream =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/**
 * Reads all bytes of a stream. Stops as soon as there are more than `maxBytes` (`too_large`) or `elapsed` resolves
 * (`timed_out`), and rejects when the stream fails.
 */
export async function readStream(
  stream: BodyStream,
  maxBytes: number,
  elapsed: Promise<void>,
): Promise<Uint8Array | 'too_large' | 'timed_out'> {
  const iterator = stream[Symbol.asyncIterator]();
  const timedOut = elapsed.then(() => 'timed_out' as const);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stop = <Reason>(reason: Reason): Reason => {
    // Not awaited: a stream that waits for its next chunk ends only after that chunk.
    callSafely(() => iterator.return?.());
    return reason;
  };
  for (;;) {
    const step = await Promise.race([iterator.next(), timedOut]);
    if (step === 'timed_out') return stop(step);
    if (step.done) return joined(chunks, length);
    length += step.value.byteLength;
    if (length > maxBytes) return stop('too_large');
    chunks.push(step.value);
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

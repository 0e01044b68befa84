/** A body that is still on its way. */
export type BodyStream = AsyncIterable<Uint8Array>;

/** Whether a value is a stream of bytes: a web `ReadableStream`, a Node stream. */
export const isBodyStream = (value: unknown): value is BodyStream =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** All bytes of a stream; undefined as soon as there are more than `most`. */
export async function readAtMost(stream: BodyStream, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

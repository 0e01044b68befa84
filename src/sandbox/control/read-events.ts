import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One server-sent event. */
export interface StreamEvent {
  /** The kind of event; `message` where the stream does not say. */
  readonly name: string;
  readonly data: unknown;
}

/**
 * Reads server-sent events with JSON data, for the page and the command. A browser's own `EventSource` cannot send the control token,
 * and Node has none.
 *
 * @param onChunk - called whenever anything arrives, comments included, which prove that the connection is alive.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void = () => {},
): AsyncGenerator<StreamEvent, void> {
  let parsed: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => parsed.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    parser.feed(decoder.decode(value, { stream: true }));
    const messages = parsed;
    parsed = [];
    for (const { event, data } of messages) yield { name: event ?? 'message', data: JSON.parse(data) };
  }
}

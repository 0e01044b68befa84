/** One server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

function eventOf(block: string): StreamEvent | undefined {
  const name = /^event: (.+)$/m.exec(block)?.[1];
  const data = /^data: (.+)$/m.exec(block)?.[1];
  return name === undefined || data === undefined ? undefined : { name, data: JSON.parse(data) };
}

/** The events of a stream as the sandbox writes them: one line of JSON each; comments are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

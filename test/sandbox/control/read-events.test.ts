import { expect, test } from 'vitest';
import { readEvents } from '../../../src/sandbox/control/read-events.js';

test('events are read over any chunks; comments are no events, but prove that the connection lives', async () => {
  const text =
    ': hello\n\nid: 1\nevent: reset\ndata: {"name":"Zoë"}\n\nretry: 5\n\ndata: {"type":\r\ndata: "clock"}\r\n\r\n';
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  let chunks = 0;
  const events: unknown[] = [];
  for await (const event of readEvents(body, () => {
    chunks += 1;
  })) {
    events.push(event);
  }
  expect(events).toEqual([
    { name: 'reset', data: { name: 'Zoë' } },
    { name: 'message', data: { type: 'clock' } },
  ]);
  expect(chunks).toBe(bytes.length);
});

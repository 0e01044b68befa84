import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/http/ky.js';

const encoder = new TextEncoder();

/** A body in chunks, which may end in an error. */
function streamed(chunks: readonly unknown[], error?: Error) {
  const left = [...chunks];
  const state = { cancelled: false };
  const stream = new ReadableStream({
    pull(controller) {
      if (left.length > 0) controller.enqueue(left.shift());
      else if (error) controller.error(error);
      else controller.close();
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { stream, state };
}

describe('readBody', () => {
  it('reads a body of unknown length, with letters that lie across chunks', async () => {
    const bytes = encoder.encode('₦500 ✓');
    const { stream } = streamed([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(await readBody(new Response(stream))).toEqual({ text: '₦500 ✓' });
  });

  it('takes a body of just the cap', async () => {
    const { stream } = streamed([encoder.encode('ab'), encoder.encode('cd')]);
    expect(await readBody(new Response(stream), 4)).toEqual({ text: 'abcd' });
  });

  it.each<[string, Record<string, string>]>([
    ['of unknown length', {}],
    ['that announces it', { 'content-length': '6' }],
    ['whose compressed length is small', { 'content-length': '3', 'content-encoding': 'gzip' }],
    ['whose length is nonsense', { 'content-length': 'six' }],
  ])('stops at the cap in a body %s, and lets go of the rest', async (_, headers) => {
    const { stream, state } = streamed([encoder.encode('ab'), encoder.encode('cde'), encoder.encode('f')]);
    expect(await readBody(new Response(stream, { headers }), 4)).toEqual({
      text: 'ab',
      bodyFailure: { why: 'too-large' },
    });
    expect(state.cancelled).toBe(true);
  });

  it('keeps what came before a body broke off', async () => {
    const cause = new Error('reset');
    const { stream } = streamed([encoder.encode('{"a"')], cause);
    expect(await readBody(new Response(stream))).toEqual({
      text: '{"a"',
      bodyFailure: { why: 'incomplete', cause },
    });
  });

  it('says that an announced body was cut', async () => {
    const cause = new Error('reset');
    const { stream } = streamed([encoder.encode('{"a"')], cause);
    const response = new Response(stream, { headers: { 'content-length': '7' } });
    expect(await readBody(response)).toEqual({ text: '', bodyFailure: { why: 'incomplete', cause } });
  });

  it('says that a body was cut whose chunks are no bytes', async () => {
    expect(await readBody(new Response(streamed(['text']).stream))).toMatchObject({
      text: '',
      bodyFailure: { why: 'incomplete' },
    });
  });
});

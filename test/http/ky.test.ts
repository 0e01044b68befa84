import { TimeoutError } from 'ky';
import { describe, expect, it, vi } from 'vitest';
import { kyTransport, readBody } from '../../src/http/ky.js';
import type { TransportRequest } from '../../src/http/transport.js';
import { page, script } from '../support/script.js';

const baseUrl = 'https://service.test/api/v1';

const request: TransportRequest = {
  method: 'POST',
  url: `${baseUrl}/airtime/purchase?x=1`,
  headers: { authorization: 'Bearer sk_test_4f9c1d7e', 'content-type': 'application/json', 'x-shop': 'one' },
  body: '{"recipient":"08031234567"}',
};

const bounds = { timeoutMs: 5000, signal: undefined };

describe('what fetch receives', () => {
  it("is the prepared request's address, headers and signal, and the body as the text that it was", async () => {
    const calls: Parameters<typeof globalThis.fetch>[] = [];
    const transport = kyTransport({
      baseUrl,
      fetch: async (...given) => {
        calls.push(given);
        return new Response('{"ok":true}', { status: 201 });
      },
    });
    expect(await transport(request, bounds)).toMatchObject({
      kind: 'response',
      status: 201,
      text: '{"ok":true}',
    });
    const [url, init] = calls[0] ?? [];
    expect(url).toBe(request.url);
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual', body: request.body });
    expect(Object.fromEntries(new Headers(init?.headers))).toEqual(request.headers);
    expect(init?.signal?.aborted).toBe(false);
    expect(calls).toHaveLength(1);
  });

  it('is the body as a stream, which cannot be sent twice, where it is the fetch of Node', async () => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response('{}'));
    vi.stubGlobal('fetch', fetch);
    await kyTransport({ baseUrl, fetch: undefined })(request, bounds);
    vi.unstubAllGlobals();
    expect(fetch.mock.lastCall?.[1]).toMatchObject({ body: expect.any(ReadableStream), duplex: 'half' });
  });

  it('is never an address beyond the base address', async () => {
    const { fetch, sent } = script(page(200));
    await kyTransport({ baseUrl, fetch })({ ...request, url: 'https://elsewhere.test/take/the/key' }, bounds);
    expect(sent[0]?.url.startsWith(`${baseUrl}/`)).toBe(true);
  });
});

describe('an abort', () => {
  it('before the request was handed to fetch proves that nothing was sent', async () => {
    const controller = new AbortController();
    const { fetch, sent } = script();
    const attempt = kyTransport({ baseUrl, fetch })(request, { ...bounds, signal: controller.signal });
    controller.abort();
    expect(await attempt).toEqual({ kind: 'failure', why: 'aborted', mayHaveArrived: false });
    expect(sent).toHaveLength(0);
  });
});

describe('a failure', () => {
  it.each([
    new TypeError('fetch failed', { cause: new Error('other side closed') }),
    new TimeoutError(new Request(baseUrl)),
  ])('carries what fetch threw, and no error of ky, which would hold the request: %s', async (thrown) => {
    const transport = kyTransport({ baseUrl, fetch: async () => Promise.reject(thrown) });
    expect(await transport(request, bounds)).toEqual({
      kind: 'failure',
      why: 'connection',
      mayHaveArrived: true,
      cause: thrown,
    });
  });

  it('before the request was handed to fetch proves that nothing was sent', async () => {
    const { fetch, sent } = script();
    const outcome = await kyTransport({ baseUrl, fetch })({ ...request, headers: { 'a b': 'x' } }, bounds);
    expect(outcome).toMatchObject({ kind: 'failure', why: 'connection', mayHaveArrived: false });
    expect(sent).toHaveLength(0);
  });
});

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

describe('a response', () => {
  it.each([
    [300, 'default'],
    [200, 'opaqueredirect'],
  ])('that is a redirect is taken without its body: %i %s', async (status, type) => {
    const { stream, state } = streamed([encoder.encode('moved')]);
    const response = Object.defineProperty(new Response(stream, { status }), 'type', { value: type });
    const outcome = await kyTransport({ baseUrl, fetch: async () => response })(request, bounds);
    expect(outcome).toMatchObject({ kind: 'response', status, text: '' });
    expect(state.cancelled).toBe(true);
  });

  it('that was read stays one, whatever fails after that', async () => {
    const ok = vi.fn().mockThrow(new Error('a getter'));
    const response = Object.defineProperty(new Response('{}'), 'ok', { get: ok });
    const outcome = await kyTransport({ baseUrl, fetch: async () => response })(request, bounds);
    expect(outcome).toMatchObject({ status: 200, text: '{}' });
    expect(ok).toHaveBeenCalled();
  });
});

describe('readBody', () => {
  it('reads nothing where there is no body', async () => {
    expect(await readBody(new Response(null))).toEqual({ text: '' });
  });

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
    expect(await readBody(response, 7)).toEqual({ text: '', bodyFailure: { why: 'incomplete', cause } });
  });

  it('says that a body was cut whose chunks are no bytes', async () => {
    expect(await readBody(new Response(streamed(['text']).stream))).toMatchObject({
      text: '',
      bodyFailure: { why: 'incomplete' },
    });
  });
});

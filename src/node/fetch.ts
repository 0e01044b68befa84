import { isRedirect } from '../http/outcome.js';
import { exchange } from './exchange.js';
import { type Head, headersOf } from './head.js';
import { checkRequest } from './request.js';
import type { Begin } from './routes.js';

/** The same exchange with the face of `fetch`: real Response objects, their bodies as streams. */
export const createFetch =
  (begin: Begin): typeof globalThis.fetch =>
  async (input, init) => {
    const { url, redirect, signal, ...request } = checkRequest(input, init);
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stop = () => signal?.removeEventListener('abort', onAbort);
      const onAbort = () => {
        under.cancel();
        fail(signal?.reason);
      };
      const fail = (error: unknown) => {
        stop();
        if (body) body.error(error);
        else reject(error);
      };
      const under = exchange(
        begin,
        url,
        { ...request, url: url.href },
        {
          head(head) {
            const problem = problemOf(head, redirect);
            if (problem) {
              under.cancel();
              return fail(failed(new Error(problem)));
            }
            const stream = new ReadableStream<Uint8Array>({
              start(controller) {
                body = controller;
              },
              cancel() {
                stop();
                under.cancel();
              },
            });
            resolve(responseOf(head, url, stream));
          },
          bytes: (chunk) => body?.enqueue(Uint8Array.from(chunk)),
          end() {
            stop();
            body?.close();
          },
          broke: (error) => fail(failed(error)),
        },
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  };

const failed = (cause: Error): TypeError => new TypeError('fetch failed', { cause });

function problemOf({ status }: Head, redirect: RequestRedirect): string | undefined {
  if (status < 200 || status > 599) return `status ${status} is none that a Response can have`;
  return isRedirect(status) && redirect !== 'manual' && status !== 304
    ? `nodeFetch follows no redirects, and got a ${status}; pass redirect: 'manual' to see it`
    : undefined;
}

/** Statuses that a Response must not be given a body for. */
const bodiless = [204, 205, 304];

/** What a Response takes as its status text; a socket may bring anything. */
const statusWords = /^[\t\x20-\x7e\x80-\xff]*$/;

function responseOf(head: Head, url: URL, stream: ReadableStream<Uint8Array>): Response {
  const { status, statusText } = head;
  const response = new Response(bodiless.includes(status) ? null : stream, {
    status,
    statusText: statusWords.test(statusText) ? statusText : '',
    headers: headersOf(head),
  });
  return Object.defineProperty(response, 'url', { value: url.href });
}

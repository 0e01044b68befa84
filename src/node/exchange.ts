import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ConfigurationError } from '../errors/base.js';
import { type BodyFailure, maximumBodyBytes, type TransportRequest } from '../http/transport.js';
import { type Begin, modules } from './connections.js';

/** The head of a response. */
export interface Head {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn, repeated headers included, as received. */
  readonly rawHeaders: readonly string[];
}

/** The events of an exchange, in this order: perhaps its head, perhaps bytes of its body, and one of the two ends. */
export interface Observer {
  onHead(head: Head): void;
  /** Part of the body, decoded. */
  onBytes(chunk: Uint8Array): void;
  onEnd(head: Head): void;
  /** `why` says what is wrong with the body, once the head was received. */
  onFailure(error: Error, why: BodyFailure['why']): void;
}

/** A request under way. */
export interface Exchange {
  /** Whether any byte of the request may have been sent: see `exchange`. */
  readonly mayHaveLeft: boolean;
  /** Ends it and its connection; the observer is not called any more. */
  cancel(): void;
}

/**
 * Sends one request over node:http.
 *
 * What Node can prove about the bytes of a request is less than it seems. `socket.bytesWritten` counts what was handed to
 * libuv and even what still waits in JavaScript, so it is too high before the connection is established, and says nothing of
 * what the kernel took. A request whose headers are flushed while its socket connects lies in buffers that nobody can look
 * into; over TLS these are encrypted the moment the handshake ends, in parallel with the check of the certificate.
 * `reusedSocket` is not set for a request that waited in the agent's queue. And an ECONNRESET or EPIPE after a write never
 * proves that nothing arrived: a server may read a request and reset the connection.
 *
 * So nothing is inferred here, and the order of events is the proof. Until `end` is called, a ClientRequest holds no byte
 * that anything below it could send; and `end` is called only once a connected socket, its certificate checked, is assigned to
 * the request. Whatever happens before that call, the request was not sent: queued, refused, timed out, a failed handshake,
 * aborted. From that call on it may have been, whatever error follows.
 *
 * A connection that was kept alive is checked first. What the server did to it while it was idle (FIN, RST, a 408) is
 * known to the kernel, but Node learns of it only when the event loop polls, and this may run in a timer right after the
 * process was frozen. Two turns of the loop contain one whole poll, and then a stale socket has shown itself before the first
 * byte is written. Only a close that is still on its way is missed, and that request may have been sent.
 */
export function exchange(begin: Begin, url: URL, request: TransportRequest, observer: Observer): Exchange {
  const { method, headers, body } = request;
  const state = { mayHaveLeft: false, cancel };
  const options = { method, headers: framed(headers, body) };
  let isOver = false;
  let outgoing: ClientRequest | undefined;
  let incoming: IncomingMessage | undefined;
  let plain: Readable | undefined;

  function cancel() {
    if (isOver) return;
    isOver = true;
    outgoing?.destroy();
    plain?.destroy();
  }
  const fail = (error: Error, why: BodyFailure['why'] = 'incomplete') => {
    if (isOver) return;
    cancel();
    observer.onFailure(error, why);
  };
  try {
    outgoing = begin(url, options);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    // An agent of the caller's may throw anything. Reported later, as every other failure is.
    queueMicrotask(() => fail(error instanceof Error ? error : new Error(String(error))));
    return state;
  }
  follow(outgoing);

  function follow(request: ClientRequest) {
    const send = () => {
      if (isOver || request.destroyed) return;
      state.mayHaveLeft = true;
      // Node writes text together with the head, at once and in one encoding. Any other body goes as bytes, because the head is not UTF-8.
      if (body === undefined) request.end();
      else if (isAscii(body)) request.end(body, 'latin1');
      else request.end(Buffer.from(body));
    };
    request.on('socket', (socket) => {
      const ready = readyEvent(socket);
      if (ready) socket.once(ready, send);
      else setImmediate(() => setImmediate(send));
    });
    // Bytes after a complete response break the connection, not the response.
    request.on('error', (error) => incoming?.complete || fail(error));
    request.on('close', () => incoming || fail(new Error('the connection closed without a response')));
    request.on('response', (response) => {
      if (isOver) return;
      // Such as the 408 of a server that is about to close an idle connection.
      if (!state.mayHaveLeft) return fail(new Error('a response came before the request was sent'));
      incoming = response;
      const { statusCode = 0, statusMessage = '', rawHeaders } = response;
      const head: Head = { status: statusCode, statusText: statusMessage, rawHeaders };
      observer.onHead(head);
      if (!isOver) read(response, head);
    });
  }

  function read(response: IncomingMessage, head: Head) {
    const encoding = encodingOf(response, method);
    plain = encoding === undefined ? response : decoded(response, encoding);
    if (!plain) return fail(new Error(`the encoding ${encoding} is not supported`), 'unsupported-encoding');
    let bytes = 0;
    plain.on('data', (chunk: Uint8Array) => {
      if (isOver) return;
      bytes += chunk.byteLength;
      if (bytes > maximumBodyBytes) fail(new Error('a body over 10 MiB'), 'too-large');
      else observer.onBytes(chunk);
    });
    plain.on('end', () => {
      if (isOver) return;
      isOver = true;
      observer.onEnd(head);
    });
    plain.on('error', (error) => fail(error));
  }
  return state;
}

/** Headers that frame a request and manage its connection. Node sets them; a second set could smuggle a request. */
const framing = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a request, together with those that frame it. */
function framed(headers: Readonly<Record<string, string>>, body: string | undefined) {
  const all: Record<string, string | number> = { 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(headers)) {
    if (framing.has(name.toLowerCase())) {
      throw new ConfigurationError('headers', `must not contain ${name}: nodeTransport sets it itself`);
    }
    all[name] = value;
  }
  if (body) all['content-length'] = Buffer.byteLength(body);
  return all;
}

/** Whether a text is as long in bytes as in characters. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** The event after which a socket can carry a request; undefined where it already can. */
function readyEvent(socket: Socket): 'connect' | 'secureConnect' | undefined {
  if (Reflect.get(socket, 'secureConnecting') === true) return 'secureConnect';
  return socket.connecting ? 'connect' : undefined;
}

/** The content encoding of a body that came encoded although none was requested; undefined for a plain or an absent body. */
export function encodingOf({ headers, statusCode }: IncomingMessage, method: string): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  const bodiless = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  return bodiless || encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/** The decoded body of a response; undefined for an encoding that is not supported. */
export function decoded(response: IncomingMessage, encoding: string): Readable | undefined {
  const decoder = decoderOf(encoding);
  if (!decoder) return undefined;
  response.on('error', (error) => decoder.destroy(error));
  response.on('close', () => response.complete || decoder.destroy());
  return response.pipe(decoder);
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return modules.zlib().createGunzip();
    case 'deflate':
      return modules.zlib().createInflate();
    case 'br':
      return modules.zlib().createBrotliDecompress();
    default:
      return undefined;
  }
}

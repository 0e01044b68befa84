import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ConfigurationError } from '../errors/configuration-error.js';
import { maximumBodyBytes } from '../http/read-body.js';
import type { BodyFailure, TransportRequest } from '../http/transport.js';
import { codingOf, decoded } from './decode.js';
import { framed } from './framing.js';
import type { Head } from './head.js';
import type { Begin } from './routes.js';

/** What is told of an exchange, in this order: perhaps its head, perhaps bytes of its body, and one of the two ends. */
export interface Observer {
  head(head: Head): void;
  /** Part of the body, decoded. */
  bytes(chunk: Uint8Array): void;
  end(head: Head): void;
  /** `why` says what is wrong with the body, once the head has come. */
  broke(error: Error, why: BodyFailure['why']): void;
}

/** A request under way. */
export interface Exchange {
  /** Whether any byte of the request may have left: see `exchange`. */
  readonly mayHaveLeft: boolean;
  /** Ends it and its connection; the observer hears no more. */
  cancel(): void;
}

/**
 * Sends one request over node:http.
 *
 * What Node can prove about the bytes of a request is less than it seems. `socket.bytesWritten` counts what was handed to
 * libuv and even what still waits in JavaScript, so it is too high before a connection stands, and says nothing of what the
 * kernel took. A request whose headers are flushed while its socket connects lies in buffers that nobody can look
 * into; over TLS these are encrypted the moment the handshake ends, beside the check of the certificate. `reusedSocket` is not
 * set for a request that waited in the agent's queue. And an ECONNRESET or EPIPE after a write never proves that nothing
 * arrived: a server may read a request and reset.
 *
 * So nothing is inferred here, and the order of things is the proof. Until `end` is called, a ClientRequest holds no byte that
 * anything below it could send; and `end` is called only when a connected socket, its certificate checked, is in our
 * hands. Whatever happens before that call, the request never left: queued, refused, timed out, a failed handshake,
 * aborted. From that call on it may have, whatever error follows.
 *
 * A kept connection gets a fresh look first. What the server did to it while it was idle (FIN, RST, a 408) is
 * known to the kernel, but Node hears of it only when the event loop polls; we may be running in a timer right after the process was
 * frozen. Two turns of the loop hold one whole poll, and then a stale socket has shown itself before the first byte. Only
 * a close that is still on its way is missed, and that one is doubtful.
 */
export function exchange(begin: Begin, url: URL, request: TransportRequest, observer: Observer): Exchange {
  const { method, headers, body } = request;
  const state = { mayHaveLeft: false, cancel };
  const options = { method, headers: framed(headers, body) };
  let over = false;
  let outgoing: ClientRequest | undefined;
  let incoming: IncomingMessage | undefined;
  let plain: Readable | undefined;

  function cancel() {
    if (over) return;
    over = true;
    outgoing?.destroy();
    plain?.destroy();
  }
  const broke = (error: Error, why: BodyFailure['why'] = 'incomplete') => {
    if (over) return;
    cancel();
    observer.broke(error, why);
  };
  try {
    outgoing = begin(url, options);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    // An agent of the caller's may throw anything. Told later, as all else is.
    queueMicrotask(() => broke(error instanceof Error ? error : new Error(String(error))));
    return state;
  }
  follow(outgoing);

  function follow(request: ClientRequest) {
    const deliver = () => {
      if (over || request.destroyed) return;
      state.mayHaveLeft = true;
      // As bytes: Node would join text with the head, and send the head in the coding of the body.
      request.end(typeof body === 'string' ? Buffer.from(body) : body);
    };
    request.on('socket', (socket) => {
      const ready = readyEvent(socket);
      if (ready) socket.once(ready, deliver);
      else setImmediate(() => setImmediate(deliver));
    });
    // Bytes after a whole answer break the connection, not the answer.
    request.on('error', (error) => incoming?.complete || broke(error));
    request.on('close', () => incoming || broke(new Error('the connection closed without an answer')));
    request.on('response', (answer) => {
      if (over) return;
      // Such as the 408 of a server that is about to close an idle connection.
      if (!state.mayHaveLeft) return broke(new Error('an answer came before the request was sent'));
      incoming = answer;
      const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
      const head: Head = { status: statusCode, statusText: statusMessage, rawHeaders };
      observer.head(head);
      if (!over) read(answer, head);
    });
  }

  function read(answer: IncomingMessage, head: Head) {
    const coding = codingOf(answer, method);
    plain = coding === undefined ? answer : decoded(answer, coding);
    if (!plain) return broke(new Error(`a body coded as ${coding} is not supported`), 'unsupported-encoding');
    let bytes = 0;
    plain.on('data', (chunk: Uint8Array) => {
      if (over) return;
      bytes += chunk.byteLength;
      if (bytes > maximumBodyBytes) broke(new Error('a body over 10 MiB'), 'too-large');
      else observer.bytes(chunk);
    });
    plain.on('end', () => {
      if (over) return;
      over = true;
      observer.end(head);
    });
    plain.on('error', (error) => broke(error));
  }
  return state;
}

/** The event that tells when a socket can carry a request; undefined where it already can. */
function readyEvent(socket: Socket): 'connect' | 'secureConnect' | undefined {
  if (Reflect.get(socket, 'secureConnecting') === true) return 'secureConnect';
  return socket.connecting ? 'connect' : undefined;
}

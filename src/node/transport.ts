import { type Broken, isRedirect } from '../http/outcome.js';
import type { Head, Transport } from '../http/transport.js';
import { exchange } from './exchange.js';
import type { Begin } from './routes.js';

/** The transport that the HTTP core uses instead of the fetch: no Response, no Headers, no signal. */
export const createTransport =
  (begin: Begin): Transport =>
  (request, land) => {
    let head: Head | undefined;
    const chunks: Uint8Array[] = [];
    const under = exchange(begin, new URL(request.url), request, {
      head(came) {
        head = came;
        if (!isRedirect(came.status)) return;
        under.cancel();
        land({ head, text: '' });
      },
      bytes: (chunk) => chunks.push(chunk),
      end: () => head && land({ head, text: textOf(chunks) }),
      broke: (cause, why: Broken) =>
        land(head ? { head, text: textOf(chunks), broken: { why, cause } } : { error: cause }),
    });
    return {
      get mayHaveLeft() {
        return under.mayHaveLeft;
      },
      get head() {
        return head;
      },
      cancel: under.cancel,
    };
  };

function textOf(chunks: readonly Uint8Array[]): string {
  const text = Buffer.concat(chunks).toString();
  // As `Response.text()` does.
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

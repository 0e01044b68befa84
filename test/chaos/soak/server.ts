/** A service in its own process that stores nothing; the recipient of a request determines the response. Prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acceptance, refusal } from '../../support/envelopes.js';

const acceptedFor = (recipient: string) =>
  JSON.stringify(acceptance({ reference: `TXN-${recipient}`, recipient, amount: 100 }));

const failure = (code: string) => JSON.stringify(refusal(code));

type Respond = (response: ServerResponse, recipient: string) => void;

const json =
  (status: number, body: (recipient: string) => string, headers: Record<string, string> = {}): Respond =>
  (response, recipient) => {
    const text = body(recipient);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
  };

/** Responses that are held back until `/release` sends them together; `/held` counts them. */
const held: (() => void)[] = [];

const accepted = json(202, acceptedFor);

/** By the first digits of the recipient. */
const responses: Readonly<Record<string, Respond>> = {
  '01': accepted,
  '02': json(422, () => failure('AMOUNT_MISMATCH')),
  '03': json(500, () => failure('GATEWAY_ERROR')),
  '04': json(503, () => failure('PROVIDER_UNAVAILABLE')),
  '05': json(429, () => failure('RATE_LIMITED'), { 'retry-after': '0' }),
  '06': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>a page</html>');
  },
  '07': (response) => response.destroy(),
  '08': (response, recipient) => {
    const text = acceptedFor(recipient);
    response.writeHead(202, { 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, 40), () => response.destroy());
  },
  // No response: the client's time-out ends the call.
  '09': () => undefined,
  '99': (response, recipient) => {
    held.push(() => accepted(response, recipient));
  },
};

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const server = createServer((request, response) => {
  textOf(request).then(
    (text) => {
      if (request.url === '/held') {
        response.end(String(held.length));
        return;
      }
      if (request.url === '/release') {
        for (const respond of held.splice(0)) respond();
        response.end();
        return;
      }
      const recipient = /"recipient":"(\d+)"/.exec(text)?.[1] ?? '';
      (responses[recipient.slice(0, 2)] ?? accepted)(response, recipient);
    },
    () => response.destroy(),
  );
});
// The server never ends an idle connection: the client has to.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', 8192, () => console.log((server.address() as AddressInfo).port));

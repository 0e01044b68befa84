import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isKnownEvent, verifyWebhook } from 'billpay/webhooks';

/** A webhook endpoint on a loopback port. */
export interface Receiver {
  readonly url: string;
  /** References in the order of their verified webhooks. */
  readonly received: string[];
  /** How many deliveries did not verify. */
  refused: number;
  /** Deliveries can be verified from now on. */
  useSecret(secret: string): void;
  close(): void;
}

/**
 * The minimum of a receiver: read the raw body, verify it, respond fast. `createWebhookHandler` does this and
 * de-duplicates too.
 */
export async function startReceiver(): Promise<Receiver> {
  let secret = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const event = verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
      if (isKnownEvent(event)) receiver.received.push(event.data.reference);
      response.writeHead(204).end();
    } catch {
      receiver.refused++;
      response.writeHead(401).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks/billpay`,
    received: [],
    refused: 0,
    useSecret: (value) => {
      secret = value;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Member } from '../../../support/killing.js';

/** One address in front of receivers that come and go; what reaches a dead one is lost, and the sandbox delivers again. */
export async function frontOf(receivers: readonly Member[]) {
  const server = createServer((incoming, outgoing) => {
    const { port }: Partial<Member> = receivers[Math.floor(Math.random() * receivers.length)] ?? {};
    if (port === undefined) {
      outgoing.writeHead(503).end();
      return;
    }
    const { method, url, headers } = incoming;
    const forward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answered) => {
      outgoing.writeHead(answered.statusCode ?? 502);
      answered.pipe(outgoing);
      answered.on('error', () => outgoing.destroy());
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

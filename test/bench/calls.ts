import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acceptance } from '../support/envelopes.js';
import { here, median, probe, type Result, ratio, rounds } from './measure.js';

const names = ['fetch', 'ky', 'stripe', 'billpay', 'billpay-node'];

/** Runs the work while a server accepts every purchase. */
async function withService<T>(work: (baseUrl: string) => Promise<T>): Promise<T> {
  const body = JSON.stringify(acceptance());
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const each = (measure: (client: string) => Promise<number>) =>
  Object.fromEntries(names.map((name) => [name, () => measure(here(`clients/${name}.mjs`))]));

/** CPU of one purchase call, sixteen at a time. */
export const measureCalls = (count: number): Promise<Result[]> =>
  withService(async (baseUrl) => {
    const all = await rounds(
      count,
      each((client) => probe<number>(here('probes/load.mjs'), client, baseUrl, 16, 4000)),
    );
    return [
      { measure: 'CPU of a call, x fetch', value: ratio(all, 'billpay', 'fetch'), target: 1.8 },
      {
        measure: 'CPU of a call, x ky as its documentation says',
        value: ratio(all, 'billpay', 'ky'),
        target: 1,
      },
      {
        measure: 'CPU of a call with nodeTransport, x stripe',
        value: ratio(all, 'billpay-node', 'stripe'),
        target: 1,
      },
    ];
  });

/** CPU from the start of a process to its first response, above that of a process that does nothing. */
export const measureColdStart = (count: number): Promise<Result[]> =>
  withService(async (baseUrl) => {
    const cold = here('probes/cold.mjs');
    const all = await rounds(count * 3, {
      bare: () => probe<number>(cold),
      ...each((client) => probe<number>(cold, client, baseUrl)),
    });
    const above = (name: string) => median(all[name] ?? []) - median(all['bare'] ?? []);
    return [
      { measure: 'CPU of a cold start, x fetch', value: above('billpay') / above('fetch'), target: 1.6 },
      { measure: 'CPU of a cold start, x stripe', value: above('billpay') / above('stripe'), target: 1 },
    ];
  });

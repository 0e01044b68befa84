import { expect, test } from 'vitest';
import { createControl } from '../../../src/sandbox/control/app.js';
import type { Sandbox, SandboxClient, SandboxFaults, SandboxWebhooks } from '../../../src/sandbox/index.js';
import { sandboxAtStart } from '../support.js';

/** What takes the place of each member over HTTP. A member that is added to a type is missing here until it has its route. */
const sandboxMembers: Readonly<Record<keyof Sandbox, string>> = {
  baseUrl: 'GET /summary',
  connection: 'GET /summary',
  credentials: 'GET /clients',
  clients: 'GET /clients',
  client: 'GET /clients/:clientId',
  fetch: 'the service itself',
  listen: 'the port that it listens on',
  settle: 'POST /transactions/:reference/settle',
  advance: 'POST /clock/advance',
  advanceToNext: 'POST /clock/next',
  runUntilIdle: 'POST /clock/run',
  nextEvent: 'GET /clock',
  idle: 'POST /idle',
  now: 'GET /clock',
  clock: 'GET /clock',
  seed: 'GET /summary',
  counts: 'GET /summary',
  problem: 'its health',
  notice: 'a line at its start',
  webhooks: 'POST /clients/:clientId/subscribe',
  catalogue: 'GET /catalogue',
  setPrice: 'PUT /catalogue/:product/:biller/:product_code',
  faults: 'GET /faults',
  transactions: 'GET /transactions',
  refusals: 'GET /purchases',
  transaction: 'GET /transactions/:reference',
  timeline: 'GET /transactions/:reference',
  wallet: 'GET /wallets/:clientId/ledger',
  delivery: 'GET /deliveries/:id',
  deliveryOf: 'GET /transactions/:reference',
  request: 'GET /requests/:id',
  requests: 'GET /requests',
  requestsOf: 'GET /transactions/:reference',
  deliveries: 'POST /deliveries/:id/redeliver',
  corruptDeliveries: 'POST /deliveries/corrupt',
  audit: 'GET /audit',
  reset: 'POST /reset',
  onActivity: 'GET /events',
  close: 'a signal to its process',
};

const clientMembers: Readonly<Record<keyof SandboxClient, string>> = {
  clientId: 'GET /clients/:clientId',
  secretKey: 'GET /clients/:clientId',
  publicKey: 'GET /clients/:clientId',
  verified: 'GET /clients/:clientId',
  suspended: 'GET /clients/:clientId',
  allowedIps: 'GET /clients/:clientId',
  balance: 'GET /clients/:clientId',
  subscription: 'GET /clients/:clientId',
  update: 'PATCH /clients/:clientId',
  fund: 'POST /wallets/:clientId/fund',
  rotateSecretKey: 'POST /clients/:clientId/rotate-key',
  revokeKey: 'POST /clients/:clientId/revoke-key',
};

const faultMembers: Readonly<Record<keyof SandboxFaults, string>> = {
  add: 'POST /faults',
  active: 'GET /faults',
  clear: 'DELETE /faults',
};

const webhookMembers: Readonly<Record<keyof SandboxWebhooks, string>> = {
  subscribe: 'POST /clients/:clientId/subscribe',
};

test('everything that code can do has its route', () => {
  const { routes } = createControl({ sandbox: sandboxAtStart(), host: '127.0.0.1', token: undefined });
  const known = routes.map(({ method, path }) => `${method} ${path.replace('/_sandbox', '')}`);
  const named = [sandboxMembers, clientMembers, faultMembers, webhookMembers]
    .flatMap((members) => Object.values(members))
    .filter((route) => route.includes('/'));
  expect(named.filter((route) => !known.includes(route))).toEqual([]);
});

import { expect, test } from 'vitest';
import { controlRoutes } from '../../../src/sandbox/control/routes.js';
import type { Sandbox, SandboxClient, SandboxFaults, SandboxWebhooks } from '../../../src/sandbox/index.js';

/** What takes the place of each member over HTTP. A member that is added to a type is missing here until it has its route. */
const sandboxMembers: Readonly<Record<keyof Sandbox, string>> = {
  baseUrl: 'GET /info',
  credentials: 'GET /info',
  clients: 'GET /clients',
  client: 'GET /clients/{client_id}',
  fetch: 'the service itself',
  listen: 'the port that it listens on',
  settle: 'POST /transactions/{reference}/settle',
  advance: 'POST /clock/advance',
  advanceToNext: 'POST /clock/next',
  runUntilIdle: 'POST /clock/run',
  nextEvent: 'GET /clock',
  idle: 'POST /idle',
  now: 'GET /clock',
  clock: 'GET /clock',
  seed: 'GET /info',
  webhooks: 'POST /clients/{client_id}/subscribe',
  catalogue: 'GET /catalogue',
  setPrice: 'PUT /catalogue/{product}/{biller}/{product_code}',
  faults: 'GET /faults',
  transactions: 'GET /transactions',
  transaction: 'GET /transactions/{reference}',
  timeline: 'GET /transactions/{reference}',
  wallet: 'GET /wallets/{client_id}/ledger',
  delivery: 'GET /deliveries/{id}',
  deliveryOf: 'GET /transactions/{reference}',
  request: 'GET /requests/{id}',
  requests: 'GET /requests',
  requestsOf: 'GET /transactions/{reference}',
  deliveries: 'POST /deliveries/{id}/redeliver',
  corruptDeliveries: 'POST /deliveries/corrupt',
  audit: 'GET /audit',
  reset: 'POST /reset',
  onActivity: 'GET /events',
  close: 'a signal to its process',
};

const clientMembers: Readonly<Record<keyof SandboxClient, string>> = {
  clientId: 'GET /clients/{client_id}',
  secretKey: 'GET /clients/{client_id}',
  publicKey: 'GET /clients/{client_id}',
  verified: 'GET /clients/{client_id}',
  suspended: 'GET /clients/{client_id}',
  allowedIps: 'GET /clients/{client_id}',
  subscription: 'GET /clients/{client_id}',
  update: 'PATCH /clients/{client_id}',
  fund: 'POST /wallets/{client_id}/fund',
  rotateSecretKey: 'POST /clients/{client_id}/rotate-key',
  revokeKey: 'POST /clients/{client_id}/revoke-key',
};

const faultMembers: Readonly<Record<keyof SandboxFaults, string>> = {
  add: 'POST /faults',
  active: 'GET /faults',
  clear: 'DELETE /faults',
};

const webhookMembers: Readonly<Record<keyof SandboxWebhooks, string>> = {
  subscribe: 'POST /clients/{client_id}/subscribe',
  intercept: 'POST /clients/{client_id}/listen',
};

test('everything that code can do has its route', () => {
  const routes = controlRoutes.map(({ method, path }) => `${method} ${path}`);
  const named = [sandboxMembers, clientMembers, faultMembers, webhookMembers]
    .flatMap((members) => Object.values(members))
    .filter((route) => route.includes('/'));
  expect(named.filter((route) => !routes.includes(route))).toEqual([]);
});

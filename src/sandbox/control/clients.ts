import { conditionFields, webhookFields } from '../schemas/client-options.js';
import { allOptional, naira, withoutUndefined, wordOf } from '../schemas/kinds.js';
import type { SandboxClient } from '../types.js';
import { exportOf, exportQuery, ledgerColumns, newestFirst } from './exports.js';
import { pageOf, pageQuery } from './paging.js';
import {
  type ControlCall,
  type ControlRoute,
  listOf,
  notFound,
  objectOf,
  reference,
  route,
  schemas,
} from './route.js';
import { clientView, ledgerView, walletView } from './views.js';

/** Clients, their keys, wallets and subscriptions. */

export const clientOf = ({ sandbox, params }: ControlCall): SandboxClient => {
  const client = sandbox.clients.find(({ clientId }) => clientId === params['client_id']);
  if (!client) throw notFound(`There is no client ${params['client_id']} in this sandbox.`);
  return client;
};

const shown = (call: ControlCall) => clientView(call.sandbox, clientOf(call));

const ledgerQuery = allOptional({ kind: wordOf(['funding', 'debit', 'refund']) });

export const clientRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/clients',
    summary: 'Lists all clients with their keys; the first is the default one.',
    returns: listOf('Client'),
    handle: ({ sandbox }) => ({ data: sandbox.clients.map((one) => clientView(sandbox, one)), next: null }),
  }),
  route({
    method: 'GET',
    path: '/clients/{client_id}',
    summary: 'One client with its keys.',
    returns: reference('Client'),
    handle: shown,
  }),
  route({
    method: 'PATCH',
    path: '/clients/{client_id}',
    summary: 'Changes whether a client is verified or suspended, and the addresses that its keys work from.',
    body: allOptional({
      verified: conditionFields.verified,
      suspended: conditionFields.suspended,
      allowed_ips: conditionFields.allowedIps,
    }),
    returns: reference('Client'),
    handle: (call) => {
      const { allowed_ips: allowedIps, ...rest } = call.body;
      clientOf(call).update(withoutUndefined({ ...rest, allowedIps }));
      return shown(call);
    },
  }),
  route({
    method: 'POST',
    path: '/clients/{client_id}/rotate-key',
    summary: 'Makes a new secret key. The old one stops working at once.',
    returns: reference('Client'),
    handle: (call) => {
      clientOf(call).rotateSecretKey();
      return shown(call);
    },
  }),
  route({
    method: 'POST',
    path: '/clients/{client_id}/revoke-key',
    summary: 'Disables a key at once, without a replacement.',
    body: { kind: wordOf(['secret', 'public']) },
    returns: reference('Client'),
    handle: (call) => {
      const { kind } = call.body;
      clientOf(call).revokeKey(kind);
      return shown(call);
    },
  }),
  route({
    method: 'POST',
    path: '/clients/{client_id}/subscribe',
    summary:
      "Subscribes a URL to a client's webhooks, with a secret of your own if you give one. Returns the secret.",
    body: {
      url: webhookFields.url,
      ...allOptional({ secret: webhookFields.secret, enabled: webhookFields.enabled }),
    },
    returns: objectOf({ url: schemas.text, secret: schemas.text, enabled: schemas.flag }),
    handle: (call) => {
      const { clientId } = clientOf(call);
      return call.sandbox.webhooks.subscribe(withoutUndefined({ ...call.body, clientId }));
    },
  }),
  route({
    method: 'GET',
    path: '/wallets/{client_id}',
    summary: "A client's wallet.",
    returns: reference('Wallet'),
    handle: (call) => walletView(call.sandbox, clientOf(call).clientId),
  }),
  route({
    method: 'GET',
    path: '/wallets/{client_id}/ledger',
    summary: "Lists the movements of a client's wallet.",
    query: { ...ledgerQuery, ...pageQuery },
    returns: listOf('LedgerEntry'),
    handle: (call) =>
      pageOf({
        items: call.sandbox.wallet(clientOf(call).clientId).ledger,
        query: call.query,
        matches: ({ kind }) => call.query.kind === undefined || call.query.kind === kind,
        show: ledgerView,
      }),
  }),
  route({
    method: 'GET',
    path: '/wallets/{client_id}/ledger/export',
    summary: "All movements of a client's wallet that match, newest first, as a file.",
    query: { ...ledgerQuery, ...exportQuery },
    returns: { type: 'array', items: { type: 'object' } },
    csv: true,
    handle: (call) => {
      const { clientId } = clientOf(call);
      const { kind } = call.query;
      const entries = call.sandbox.wallet(clientId).ledger;
      const rows = newestFirst(entries, (entry) => kind === undefined || entry.kind === kind).map(ledgerView);
      return exportOf(call, `wallet-${clientId}`, ledgerColumns, rows);
    },
  }),
  route({
    method: 'POST',
    path: '/wallets/{client_id}/fund',
    summary: 'Puts NGN into a wallet.',
    body: { amount: naira() },
    returns: reference('Wallet'),
    handle: (call) => {
      const client = clientOf(call);
      client.fund(call.body.amount);
      return walletView(call.sandbox, client.clientId);
    },
  }),
];

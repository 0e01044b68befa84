import { assertOption } from '../../validation/options.js';
import type { ClientConditions } from '../service/accounts.js';
import { checkNames } from '../service/fields.js';
import type { SandboxClient, SandboxSubscriptionOptions } from '../types.js';
import { exportOf, exportQuery, ledgerColumns, newestFirst } from './exports.js';
import { pageOf, pageQuery } from './paging.js';
import {
  type ControlCall,
  type ControlRoute,
  listOf,
  notFound,
  objectOf,
  oneOf,
  reference,
  schemas,
} from './route.js';
import { clientView, ledgerView, walletView } from './views.js';

/** Clients, their keys, wallets and subscriptions. */

const clientOf = ({ sandbox, params }: ControlCall): SandboxClient => {
  const client = sandbox.clients.find(({ clientId }) => clientId === params['client_id']);
  if (!client) throw notFound(`There is no client ${params['client_id']} in this sandbox.`);
  return client;
};

const shown = (call: ControlCall) => clientView(call.sandbox, clientOf(call));

const conditions = objectOf({
  verified: schemas.flag,
  suspended: schemas.flag,
  allowed_ips: { type: 'array', items: schemas.text },
});

const conditionNames = ['verified', 'suspended', 'allowed_ips'];

/** The fields as `client.update` names them; it checks the values of the others. */
function conditionsOf(body: ControlCall['body']): ClientConditions {
  const { allowed_ips, ...rest } = checkNames('client', body, conditionNames);
  if (allowed_ips === undefined) return rest;
  const addresses: readonly unknown[] = Array.isArray(allowed_ips) ? allowed_ips : [undefined];
  const allowedIps = addresses.filter((address) => typeof address === 'string');
  assertOption(
    allowedIps.length === addresses.length,
    'allowed_ips',
    'must be a list of addresses, such as ["203.0.113.10"]',
  );
  return { ...rest, allowedIps };
}

export const accountRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/clients',
    summary: 'Lists all clients with their keys; the first is the default one.',
    returns: listOf('Client'),
    handle: ({ sandbox }) => ({ data: sandbox.clients.map((one) => clientView(sandbox, one)), next: null }),
  },
  {
    method: 'GET',
    path: '/clients/{client_id}',
    summary: 'One client with its keys.',
    returns: reference('Client'),
    handle: shown,
  },
  {
    method: 'PATCH',
    path: '/clients/{client_id}',
    summary: 'Changes whether a client is verified or suspended, and the addresses that its keys work from.',
    body: conditions,
    returns: reference('Client'),
    handle: (call) => {
      clientOf(call).update(conditionsOf(call.body));
      return shown(call);
    },
  },
  {
    method: 'POST',
    path: '/clients/{client_id}/rotate-key',
    summary: 'Makes a new secret key. The old one stops working at once.',
    returns: reference('Client'),
    handle: (call) => {
      clientOf(call).rotateSecretKey();
      return shown(call);
    },
  },
  {
    method: 'POST',
    path: '/clients/{client_id}/revoke-key',
    summary: 'Disables a key at once, without a replacement.',
    body: objectOf({ kind: oneOf('secret', 'public') }, ['kind']),
    returns: reference('Client'),
    handle: (call) => {
      const { kind } = call.body;
      assertOption(kind === 'secret' || kind === 'public', 'kind', "must be 'secret' or 'public'");
      clientOf(call).revokeKey(kind);
      return shown(call);
    },
  },
  {
    method: 'POST',
    path: '/clients/{client_id}/subscribe',
    summary:
      "Subscribes a URL to a client's webhooks, with a secret of your own if you give one. Returns the secret.",
    body: objectOf({ url: schemas.text, secret: schemas.text, enabled: schemas.flag }, ['url']),
    returns: objectOf({ url: schemas.text, secret: schemas.text, enabled: schemas.flag }),
    handle: (call) => {
      const { clientId } = clientOf(call);
      const { url, ...rest } = call.body;
      assertOption(url !== undefined, 'url', 'is required: the address of the receiver');
      const options: SandboxSubscriptionOptions = { ...rest, url: url as string, clientId };
      return call.sandbox.webhooks.subscribe(options);
    },
  },
  {
    method: 'GET',
    path: '/wallets/{client_id}',
    summary: "A client's wallet.",
    returns: reference('Wallet'),
    handle: (call) => walletView(call.sandbox, clientOf(call).clientId),
  },
  {
    method: 'GET',
    path: '/wallets/{client_id}/ledger',
    summary: "Lists the movements of a client's wallet.",
    query: { kind: oneOf('funding', 'debit', 'refund'), ...pageQuery },
    returns: listOf('LedgerEntry'),
    handle: (call) =>
      pageOf({
        items: call.sandbox.wallet(clientOf(call).clientId).ledger,
        query: call.query,
        matches: ({ kind }) => call.query['kind'] === undefined || call.query['kind'] === kind,
        show: ledgerView,
      }),
  },
  {
    method: 'GET',
    path: '/wallets/{client_id}/ledger/export',
    summary: "All movements of a client's wallet that match, newest first, as a file.",
    query: { kind: oneOf('funding', 'debit', 'refund'), ...exportQuery },
    returns: { type: 'array', items: { type: 'object' } },
    csv: true,
    handle: (call) => {
      const { clientId } = clientOf(call);
      const { kind, format } = call.query;
      const entries = call.sandbox.wallet(clientId).ledger;
      const rows = newestFirst(entries, (entry) => kind === undefined || entry.kind === kind).map(ledgerView);
      return exportOf(`wallet-${clientId}`, ledgerColumns, rows, format);
    },
  },
  {
    method: 'POST',
    path: '/wallets/{client_id}/fund',
    summary: 'Puts NGN into a wallet.',
    body: objectOf({ amount: schemas.naira }, ['amount']),
    returns: reference('Wallet'),
    handle: (call) => {
      const client = clientOf(call);
      // `fund` checks the amount.
      client.fund(call.body['amount'] as number);
      return walletView(call.sandbox, client.clientId);
    },
  },
];

import * as z from 'zod/mini';
import type { LedgerEntry } from '../rules/wallet.js';
import { conditionFields, webhookFields } from '../schemas/client-options.js';
import { allOptional, naira, withoutUndefined, wordOf } from '../schemas/kinds.js';
import type { SandboxClient } from '../types.js';
import { equal } from './filters.js';
import { listOf, listRoutes } from './lists.js';
import * as resources from './resources.js';
import { type ControlCall, type ControlRoute, found, route } from './route.js';
import { clientView, ledgerView, walletView } from './views.js';

/** Clients, their keys, wallets and subscriptions. */

export const clientOf = ({ sandbox, param }: ControlCall): SandboxClient =>
  found(
    sandbox.clients.find(({ clientId }) => clientId === param('client_id')),
    `There is no client ${param('client_id')} in this sandbox.`,
  );

const shown = (call: ControlCall) => clientView(call.sandbox, clientOf(call));

export const clientRoutes: readonly ControlRoute[] = [
  route('GET /clients', {
    summary: 'Lists all clients with their keys; the first is the default one.',
    returns: listOf(resources.client),
    handle: ({ sandbox }) => ({ data: sandbox.clients.map((one) => clientView(sandbox, one)), next: null }),
  }),
  route('GET /clients/{client_id}', {
    summary: 'One client with its keys.',
    returns: resources.client,
    handle: shown,
  }),
  route('PATCH /clients/{client_id}', {
    summary: 'Changes whether a client is verified or suspended, and the addresses that its keys work from.',
    body: allOptional({
      verified: conditionFields.verified,
      suspended: conditionFields.suspended,
      allowed_ips: conditionFields.allowedIps,
    }),
    returns: resources.client,
    handle: (call) => {
      const { allowed_ips: allowedIps, ...rest } = call.body;
      clientOf(call).update(withoutUndefined({ ...rest, allowedIps }));
      return shown(call);
    },
  }),
  route('POST /clients/{client_id}/rotate-key', {
    summary: 'Makes a new secret key. The old one stops working at once.',
    returns: resources.client,
    handle: (call) => {
      clientOf(call).rotateSecretKey();
      return shown(call);
    },
  }),
  route('POST /clients/{client_id}/revoke-key', {
    summary: 'Disables a key at once, without a replacement.',
    body: { kind: wordOf(['secret', 'public']) },
    returns: resources.client,
    handle: (call) => {
      clientOf(call).revokeKey(call.body.kind);
      return shown(call);
    },
  }),
  route('POST /clients/{client_id}/subscribe', {
    summary:
      "Subscribes a URL to a client's webhooks, with a secret of your own if you give one. Returns the secret.",
    body: {
      url: webhookFields.url,
      ...allOptional({ secret: webhookFields.secret, enabled: webhookFields.enabled }),
    },
    returns: z.object({ url: z.string(), secret: z.string(), enabled: z.boolean() }),
    handle: (call) => {
      const { clientId } = clientOf(call);
      return call.sandbox.webhooks.subscribe(withoutUndefined({ ...call.body, clientId }));
    },
  }),
  route('GET /wallets/{client_id}', {
    summary: "A client's wallet.",
    returns: resources.wallet,
    handle: (call) => walletView(call.sandbox, clientOf(call).clientId),
  }),
  ...listRoutes<LedgerEntry>('/wallets/{client_id}/ledger', {
    what: "movements of a client's wallet",
    filters: { kind: equal(wordOf(['funding', 'debit', 'refund']), ({ kind }) => kind) },
    item: resources.ledgerEntry,
    items: (call) => call.sandbox.wallet(clientOf(call).clientId).ledger,
    show: ledgerView,
    file: { name: ({ param }) => `wallet-${param('client_id')}` },
  }),
  route('POST /wallets/{client_id}/fund', {
    summary: 'Puts NGN into a wallet.',
    body: { amount: naira() },
    returns: resources.wallet,
    handle: (call) => {
      const client = clientOf(call);
      client.fund(call.body.amount);
      return walletView(call.sandbox, client.clientId);
    },
  }),
];

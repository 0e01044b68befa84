import { Hono } from 'hono/tiny';
import * as z from 'zod/mini';
import type { LedgerEntry } from '../records/objects.js';
import { checkConditions, webhookFields } from '../schemas/client-options.js';
import { naira, withoutUndefined, wordOf } from '../schemas/fields.js';
import type { Sandbox } from '../types.js';
import { pageOf, pageQuery, sourceOf } from './lists.js';
import { body, checkedBy, found, noBody, query } from './validate.js';

/** Clients, their keys, wallets and subscriptions. */

const { url, secret, enabled } = webhookFields;
const kind = wordOf(['secret', 'public'], 'Which key.');
const movement = wordOf(['funding', 'debit', 'refund'], 'Only these movements.');

export function clientRoutes(sandbox: Sandbox): Hono {
  const clientOf = (id: string) =>
    found(
      sandbox.clients.find(({ clientId }) => clientId === id),
      `There is no client ${id} in this sandbox.`,
    );
  return new Hono()
    .get('/clients', (c) => c.json(sandbox.clients))
    .get('/clients/:clientId', (c) => c.json(clientOf(c.req.param('clientId'))))
    .patch('/clients/:clientId', checkedBy(checkConditions), (c) => {
      const client = clientOf(c.req.param('clientId'));
      client.update(c.req.valid('json'));
      return c.json(client);
    })
    .post('/clients/:clientId/rotate-key', noBody, (c) => {
      const client = clientOf(c.req.param('clientId'));
      client.rotateSecretKey();
      return c.json(client);
    })
    .post('/clients/:clientId/revoke-key', body({ kind }), (c) => {
      const client = clientOf(c.req.param('clientId'));
      client.revokeKey(c.req.valid('json').kind);
      return c.json(client);
    })
    .post('/clients/:clientId/subscribe', body({ url, secret, enabled }), (c) => {
      const { clientId } = clientOf(c.req.param('clientId'));
      return c.json(sandbox.webhooks.subscribe(withoutUndefined({ ...c.req.valid('json'), clientId })));
    })
    .get('/wallets/:clientId', (c) => {
      const { clientId, balance } = clientOf(c.req.param('clientId'));
      return c.json({ clientId, balance });
    })
    .get('/wallets/:clientId/ledger', query({ ...pageQuery, kind: z.optional(movement) }), (c) => {
      const { kind, ...page } = c.req.valid('query');
      const { ledger } = sandbox.wallet(clientOf(c.req.param('clientId')).clientId);
      const isWanted = kind && ((entry: LedgerEntry) => entry.kind === kind);
      return c.json(pageOf(sourceOf(ledger), page, isWanted));
    })
    .post('/wallets/:clientId/fund', body({ amount: naira('What to put into the wallet, in NGN.') }), (c) => {
      const client = clientOf(c.req.param('clientId'));
      client.fund(c.req.valid('json').amount);
      const { clientId, balance } = client;
      return c.json({ clientId, balance });
    });
}

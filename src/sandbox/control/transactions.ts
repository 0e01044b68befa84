import { products } from '../../contract/vocabulary.js';
import type { SandboxDelivery } from '../deliveries/delivery.js';
import { corruptionFields, redeliverySchema } from '../lab/fault-options.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import { anyText, withoutUndefined, wordOf } from '../schemas/kinds.js';
import { equal, given, type Searchable, search } from './filters.js';
import { listRoutes } from './lists.js';
import * as resources from './resources.js';
import { type ControlCall, type ControlRoute, found, route } from './route.js';
import { attemptView, deliveryDetail, deliveryView, transactionDetail, transactionView } from './views.js';

/** Transactions and webhook deliveries. */

const transactionOf = ({ sandbox, param }: ControlCall): SandboxTransaction =>
  found(
    sandbox.transaction(param('reference')),
    `There is no transaction ${param('reference')} in this sandbox.`,
  );

const deliveryOf = ({ sandbox, param }: ControlCall): SandboxDelivery =>
  found(sandbox.delivery(param('id')), `There is no delivery ${param('id')} in this sandbox.`);

const { delivery: _, ...ownFields } = resources.transaction.shape;
/** What a row of the exported file says about the webhook. */
const webhookFields = ['state', 'attempts', 'last_status', 'last_error'] as const;

/** Where a search looks in a transaction. */
const searchable = ({ recipient, amount, ...transaction }: SandboxTransaction): Searchable => ({
  texts: [
    transaction.reference,
    transaction.idempotency_key,
    transaction.product,
    transaction.biller,
    transaction.product_code,
  ],
  recipient,
  amount,
});

export const transactionRoutes: readonly ControlRoute[] = [
  ...listRoutes<SandboxTransaction>('/transactions', {
    what: 'transactions',
    filters: {
      state: equal(wordOf(['pending', 'success', 'failed']), ({ status }) => status),
      client: equal(anyText(), ({ clientId }) => clientId),
      product: equal(wordOf(products), ({ product }) => product),
      q: search(
        'each in the reference, recipient (a phone number in any form), product, biller, product code, amount or idempotency key',
        searchable,
      ),
    },
    item: resources.transaction,
    items: ({ sandbox }) => sandbox.transactions,
    show: (one, sandbox) => transactionView(sandbox, one),
    file: {
      name: () => 'transactions',
      columns: [...Object.keys(ownFields), ...webhookFields.map((name) => `webhook_${name}`)],
      row: (one, sandbox) => {
        const { delivery, ...fields } = transactionView(sandbox, one);
        const webhook = webhookFields.map((name) => [`webhook_${name}`, delivery?.[name]]);
        return { ...fields, ...Object.fromEntries(webhook) };
      },
    },
  }),
  route('GET /transactions/{reference}', {
    summary: 'One transaction with its token, its timeline, its requests and its delivery.',
    returns: resources.transactionDetail,
    handle: (call) => transactionDetail(call.sandbox, transactionOf(call)),
  }),
  route('POST /transactions/{reference}/settle', {
    summary: 'Settles a pending transaction now. Responds after the first attempt of its webhook.',
    body: { outcome: wordOf(['success', 'failed']) },
    returns: resources.transactionDetail,
    handle: async (call) => {
      const { reference } = transactionOf(call);
      return transactionDetail(call.sandbox, await call.sandbox.settle(reference, call.body.outcome));
    },
  }),
  ...listRoutes<SandboxDelivery>('/deliveries', {
    what: 'webhook deliveries',
    filters: {
      state: equal(wordOf(['pending', 'delivered', 'failed']), ({ state }) => state),
      failing: given(
        'those whose last attempt failed',
        ({ attempts }) => attempts.at(-1)?.delivered === false,
      ),
      client: equal(anyText(), ({ clientId }) => clientId),
      product: equal(wordOf(products), ({ reference }, sandbox) => sandbox.transaction(reference)?.product),
      reference: equal(anyText(), ({ reference }) => reference),
      q: search(
        'in its id or event, or where those of a transaction are looked for',
        ({ id, event, reference }, sandbox) => {
          const transaction = sandbox.transaction(reference);
          const { texts = [], ...rest } = transaction ? searchable(transaction) : {};
          return { texts: [id, reference, event, ...texts], ...rest };
        },
      ),
    },
    item: resources.delivery,
    items: ({ sandbox }) => sandbox.deliveries,
    show: (one, sandbox) => deliveryView(sandbox, one),
    file: { name: () => 'deliveries' },
  }),
  route('GET /deliveries/{id}', {
    summary: 'One delivery with its exact body and all attempts.',
    returns: resources.deliveryDetail,
    handle: (call) => deliveryDetail(call.sandbox, deliveryOf(call)),
  }),
  route('POST /deliveries/{id}/redeliver', {
    summary:
      'Sends a delivery once more, now. Responds after the attempt; `delivered` says whether the receiver accepted it.',
    body: redeliverySchema.shape,
    returns: resources.attempt,
    handle: async (call) => attemptView(await deliveryOf(call).redeliver(withoutUndefined(call.body))),
  }),
  route('POST /deliveries/{id}/retry', {
    summary:
      'Makes the next scheduled retry of a delivery now. Responds after the attempt; if it fails, the retry after it is scheduled from now.',
    returns: resources.attempt,
    handle: async (call) => attemptView(await deliveryOf(call).retryNow()),
  }),
  route('POST /deliveries/corrupt', {
    summary: 'Makes something wrong with the first attempts of the next deliveries.',
    body: corruptionFields,
    handle: ({ sandbox, body: { how, times } }) => sandbox.corruptDeliveries(how, times),
  }),
];

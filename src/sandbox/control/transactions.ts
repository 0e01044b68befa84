import { products } from '../../contract/vocabulary.js';
import type { SandboxDelivery } from '../deliveries/delivery.js';
import { corruptionFields, redeliverySchema } from '../lab/fault-options.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import { allOptional, anyText, withoutUndefined, wordOf } from '../schemas/kinds.js';
import type { Sandbox } from '../types.js';
import { hasValues } from './filter.js';
import { listRoutes } from './lists.js';
import * as resources from './resources.js';
import { type ControlCall, type ControlRoute, found, route } from './route.js';
import { searchableTransaction, searchFor } from './search.js';
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

const transactionColumns = [
  ...Object.keys(ownFields),
  'webhook_state',
  'webhook_attempts',
  'webhook_last_status',
  'webhook_last_error',
];

/** The fields of a transaction with those of its webhook. */
function transactionRow(transaction: SandboxTransaction, sandbox: Sandbox) {
  const { delivery, ...fields } = transactionView(sandbox, transaction);
  return {
    ...fields,
    webhook_state: delivery?.state,
    webhook_attempts: delivery?.attempts,
    webhook_last_status: delivery?.last_status,
    webhook_last_error: delivery?.last_error,
  };
}

export const transactionRoutes: readonly ControlRoute[] = [
  ...listRoutes('/transactions', {
    what: 'transactions',
    query: allOptional({
      state: wordOf(['pending', 'success', 'failed']),
      client: anyText(),
      product: wordOf(products),
      q: anyText(
        'Words that are all found in it, each in the reference, recipient (a phone number in any form), product, biller, product code, amount or idempotency key.',
      ),
    }),
    item: resources.transaction,
    items: ({ sandbox }) => sandbox.transactions,
    filter: (query) => {
      const isFound = searchFor(query.q);
      return (one) =>
        hasValues(query, { state: one.status, client: one.clientId, product: one.product }) &&
        isFound(searchableTransaction(one));
    },
    show: (one, sandbox) => transactionView(sandbox, one),
    file: {
      name: () => 'transactions',
      columns: transactionColumns,
      row: transactionRow,
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
  ...listRoutes('/deliveries', {
    what: 'webhook deliveries',
    query: allOptional({
      state: wordOf(['pending', 'delivered', 'failed']),
      failing: anyText('Given with any value: only those whose last attempt failed.'),
      client: anyText(),
      product: wordOf(products),
      reference: anyText(),
      q: anyText(
        'Words that are all found in it: in its id or event, or where those of a transaction are looked for.',
      ),
    }),
    item: resources.delivery,
    items: ({ sandbox }) => sandbox.deliveries,
    filter: (query, sandbox) => {
      const isFound = searchFor(query.q);
      return ({ id, state, clientId: client, reference, event, attempts }) => {
        const transaction = sandbox.transaction(reference);
        const { texts = [], ...rest } = transaction ? searchableTransaction(transaction) : {};
        return (
          hasValues(query, { state, client, reference, product: transaction?.product }) &&
          (query.failing === undefined || attempts.at(-1)?.delivered === false) &&
          isFound({ texts: [id, reference, event, ...texts], ...rest })
        );
      };
    },
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

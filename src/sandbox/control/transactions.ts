import { products } from '../../contract/vocabulary.js';
import type { SandboxDelivery } from '../deliveries/delivery.js';
import { corruptionFields } from '../lab/fault-options.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import { allOptional, anyText, wordOf } from '../schemas/kinds.js';
import {
  deliveryColumns,
  exportOf,
  exportQuery,
  newestFirst,
  transactionColumns,
  transactionRow,
} from './exports.js';
import { deliveryFilter, transactionFilter } from './lists.js';
import { pageOf, pageQuery } from './paging.js';
import { type ControlCall, type ControlRoute, done, listOf, notFound, reference, route } from './route.js';
import { attemptView, deliveryDetail, deliveryView, transactionDetail, transactionView } from './views.js';

/** Transactions and webhook deliveries. */

export const transactionOf = ({ sandbox, params }: ControlCall): SandboxTransaction => {
  const transaction = sandbox.transaction(params['reference'] ?? '');
  if (!transaction) throw notFound(`There is no transaction ${params['reference']} in this sandbox.`);
  return transaction;
};

const deliveryOf = ({ sandbox, params }: ControlCall): SandboxDelivery => {
  const delivery = sandbox.delivery(params['id'] ?? '');
  if (!delivery) throw notFound(`There is no delivery ${params['id']} in this sandbox.`);
  return delivery;
};

const corruptions = ['bad-signature', 'old-timestamp'] as const;

const transactionQuery = allOptional({
  state: wordOf(['pending', 'success', 'failed']),
  client: anyText(),
  product: wordOf(products),
  q: anyText(
    'Words that are all found in it, each in the reference, recipient (a phone number in any form), product, biller, product code, amount or idempotency key.',
  ),
});

const deliveryQuery = allOptional({
  state: wordOf(['pending', 'delivered', 'failed']),
  failing: anyText('Given with any value: only those whose last attempt failed.'),
  client: anyText(),
  product: wordOf(products),
  reference: anyText(),
  q: anyText(
    'Words that are all found in it: in its id or event, or where those of a transaction are looked for.',
  ),
});

const anyRows = { type: 'array', items: { type: 'object' } };

export const transactionRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/transactions',
    summary: 'Lists transactions.',
    query: { ...transactionQuery, ...pageQuery },
    returns: listOf('Transaction'),
    handle: ({ sandbox, query }) =>
      pageOf({
        items: sandbox.transactions,
        query,
        matches: transactionFilter(query),
        show: (one) => transactionView(sandbox, one),
      }),
  }),
  route({
    method: 'GET',
    path: '/transactions/export',
    summary: 'All transactions that match, newest first, as a file.',
    query: { ...transactionQuery, ...exportQuery },
    returns: anyRows,
    csv: true,
    handle: (call) => {
      const found = newestFirst(call.sandbox.transactions, transactionFilter(call.query));
      const rows = found.map((one) => transactionRow(call.sandbox, one));
      return exportOf(call, 'transactions', transactionColumns, rows);
    },
  }),
  route({
    method: 'GET',
    path: '/transactions/{reference}',
    summary: 'One transaction with its token, its timeline, its requests and its delivery.',
    returns: reference('TransactionDetail'),
    handle: (call) => transactionDetail(call.sandbox, transactionOf(call)),
  }),
  route({
    method: 'POST',
    path: '/transactions/{reference}/settle',
    summary: 'Settles a pending transaction now. Responds after the first attempt of its webhook.',
    body: { outcome: wordOf(['success', 'failed']) },
    returns: reference('TransactionDetail'),
    handle: async (call) => {
      const { outcome } = call.body;
      const transaction = await call.sandbox.settle(transactionOf(call).reference, outcome);
      return transactionDetail(call.sandbox, transaction);
    },
  }),
  route({
    method: 'GET',
    path: '/deliveries',
    summary: 'Lists webhook deliveries.',
    query: { ...deliveryQuery, ...pageQuery },
    returns: listOf('Delivery'),
    handle: ({ sandbox, query }) =>
      pageOf({
        items: sandbox.deliveries,
        query,
        matches: deliveryFilter(sandbox, query),
        show: (one) => deliveryView(sandbox, one),
      }),
  }),
  route({
    method: 'GET',
    path: '/deliveries/export',
    summary: 'All webhook deliveries that match, newest first, as a file.',
    query: { ...deliveryQuery, ...exportQuery },
    returns: anyRows,
    csv: true,
    handle: (call) => {
      const found = newestFirst(call.sandbox.deliveries, deliveryFilter(call.sandbox, call.query));
      const rows = found.map((one) => deliveryView(call.sandbox, one));
      return exportOf(call, 'deliveries', deliveryColumns, rows);
    },
  }),
  route({
    method: 'GET',
    path: '/deliveries/{id}',
    summary: 'One delivery with its exact body and all attempts.',
    returns: reference('DeliveryDetail'),
    handle: (call) => deliveryDetail(call.sandbox, deliveryOf(call)),
  }),
  route({
    method: 'POST',
    path: '/deliveries/{id}/redeliver',
    summary:
      'Sends a delivery once more, now. Responds after the attempt; `delivered` says whether the receiver accepted it.',
    body: allOptional({ corrupt: wordOf(corruptions) }),
    returns: reference('DeliveryAttempt'),
    handle: async (call) => {
      const { corrupt } = call.body;
      return attemptView(await deliveryOf(call).redeliver(corrupt ? { corrupt } : {}));
    },
  }),
  route({
    method: 'POST',
    path: '/deliveries/{id}/retry',
    summary:
      'Makes the next scheduled retry of a delivery now. Responds after the attempt; if it fails, the retry after it is scheduled from now.',
    returns: reference('DeliveryAttempt'),
    handle: async (call) => attemptView(await deliveryOf(call).retryNow()),
  }),
  route({
    method: 'POST',
    path: '/deliveries/corrupt',
    summary: 'Makes something wrong with the first attempts of the next deliveries.',
    body: corruptionFields,
    returns: done,
    handle: ({ sandbox, body: { how, times } }) => {
      sandbox.corruptDeliveries(how, times);
      return { ok: true };
    },
  }),
];

import type { Json, Purchase } from '../../control/types.js';
import type { LedgerEntry } from '../../records/objects.js';
import { session } from './context.js';
import { DeliveryAction, DeliveryDrawer } from './delivery-detail.js';
import { type Delivery, deliveryState } from './delivery-text.js';
import type { ListKind } from './list.js';
import { RequestCopies, RequestDrawer } from './request-detail.js';
import {
  brief,
  fieldOf,
  type LoggedRequest,
  naira,
  notesLine,
  productText,
  refusalText,
  requestName,
  requestOutcome,
  stateOf,
} from './text.js';
import { SettleActions, TransactionDrawer } from './transaction-detail.js';
import { Badge, Time, TransactionLink } from './widgets.js';

/** The four lists of the page. */

/** What a field holds that a caller may have filled with anything. */
const given = (value: unknown, length: number) =>
  value === undefined || value === null ? '' : brief(String(value), length);

/** Why a purchase was refused, or what the receiver of its webhook replied. */
function Result({ one }: { readonly one: Json<Purchase> }) {
  if ('refusal' in one) return <Badge text={refusalText(one.refusal)} tone="bad" isFramed={false} />;
  const { transaction, delivery } = one;
  if (delivery) return <Badge {...deliveryState(delivery, session.now.value)} isFramed={false} />;
  const text = transaction.status === 'pending' ? 'when settled' : 'not subscribed';
  return <Badge text={text} tone="plain" isFramed={false} />;
}

const PurchaseDrawer = ({ id }: { readonly id: string }) => {
  const request = /^request-(\d+)$/.exec(id)?.[1];
  return request === undefined ? <TransactionDrawer id={id} /> : <RequestDrawer id={request} />;
};

const purchaseId = (one: Json<Purchase>): string =>
  'refusal' in one ? `request-${one.refusal.requestId}` : one.transaction.reference;

export const purchases: ListKind<Json<Purchase>> = {
  name: 'Purchases',
  kind: 'purchases',
  path: '/purchases',
  idOf: purchaseId,
  opens: purchaseId,
  titleOf: (one) =>
    'refusal' in one ? `refused purchase ${one.refusal.idempotency_key ?? ''}` : one.transaction.reference,
  searched: 'reference, recipient, key, code',
  choices: [
    {
      param: 'state',
      label: 'State',
      all: 'All states',
      options: { pending: 'Pending', success: 'Success', failed: 'Failed', refused: 'Refused' },
    },
  ],
  columns: [
    [
      'state',
      'State',
      (one) => <Badge {...stateOf('refusal' in one ? 'refused' : one.transaction.status)} />,
    ],
    ['reference', 'Reference', (one) => 'transaction' in one && <code>{one.transaction.reference}</code>],
    [
      'product',
      'Product',
      (one) => {
        if ('refusal' in one)
          return productText(one.refusal.operation.split('.')[0] ?? '', one.refusal.biller);
        return productText(one.transaction.product, one.transaction.biller);
      },
    ],
    [
      'recipient',
      'Recipient',
      (one) => given('refusal' in one ? one.refusal.recipient : one.transaction.recipient, 24),
    ],
    [
      'amount',
      'Amount',
      (one) => {
        const { amount } = 'refusal' in one ? one.refusal : one.transaction;
        return amount !== undefined && naira(amount);
      },
    ],
    ['why', 'Refused for, or webhook', (one) => <Result one={one} />],
    [
      'time',
      'Time (UTC)',
      (one) => <Time at={'refusal' in one ? one.refusal.at : one.transaction.acceptedAt} />,
    ],
    ['actions', 'Actions', (one) => 'transaction' in one && <SettleActions transaction={one.transaction} />],
  ],
  empty: 'Nothing was bought yet.',
  Detail: PurchaseDrawer,
};

export const deliveries: ListKind<Delivery> = {
  name: 'Webhook deliveries',
  kind: 'deliveries',
  path: '/deliveries',
  idOf: ({ id }) => id,
  opens: ({ id }) => id,
  titleOf: ({ event, reference }) => `${event} of ${reference}`,
  searched: 'reference, recipient, key',
  choices: [{ param: 'failing', label: 'Receiver', all: 'Failing or not', options: { 1: 'Failing only' } }],
  columns: [
    ['receiver', 'Receiver', (one) => <Badge {...deliveryState(one, session.now.value)} />],
    ['event', 'Event', ({ event }) => event.replace('transaction.', '')],
    ['reference', 'Transaction', ({ reference }) => <TransactionLink reference={reference} />],
    ['sent', 'Attempts', ({ attempts }) => attempts.length],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
    ['actions', 'Actions', (one) => <DeliveryAction delivery={one} />],
  ],
  empty: 'A delivery is made when a transaction of a subscribed client settles.',
  Detail: DeliveryDrawer,
};

export const requests: ListKind<LoggedRequest> = {
  name: 'Requests',
  kind: 'requests',
  path: '/requests',
  idOf: ({ id }) => String(id),
  opens: ({ id }) => String(id),
  titleOf: (one) => `request ${one.id}: ${requestName(one)}`,
  searched: 'reference, recipient, key, code',
  choices: [
    {
      param: 'status',
      label: 'Outcome',
      all: 'All outcomes',
      options: { 2: '2xx', 4: '4xx', 5: '5xx', none: 'No response' },
    },
    { param: 'warnings', label: 'Warnings', all: 'All requests', options: { 1: 'With warnings' } },
  ],
  columns: [
    ['outcome', 'Outcome', (one) => <Badge {...requestOutcome(one)} />],
    ['call', 'Call', requestName],
    ['recipient', 'Recipient', ({ body }) => given(fieldOf(body, 'recipient'), 24)],
    ['notes', 'Notes', (one) => <Badge {...notesLine(one)} isFramed={false} />],
    [
      'reference',
      'Transaction',
      ({ reference }) => reference !== undefined && <TransactionLink reference={reference} />,
    ],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
    ['actions', 'Copy as', (one) => <RequestCopies request={one} />],
  ],
  empty: 'No request has arrived yet.',
  Detail: RequestDrawer,
};

const movements = { debit: 'Debit', refund: 'Refund', funding: 'Funding' };

export const ledgerOf = (clientId: string): ListKind<Json<LedgerEntry>> => ({
  name: `Ledger of ${clientId}`,
  kind: 'ledger',
  path: `/wallets/${encodeURIComponent(clientId)}/ledger`,
  // Movements have no id: within one wallet, the time, the balance after them and their reference tell them apart well enough.
  idOf: ({ at, kind, reference, balance }) => `${at} ${kind} ${reference} ${balance}`,
  opens: ({ reference }) => reference,
  titleOf: ({ kind, reference }) => `${kind} ${reference ?? ''}`,
  choices: [{ param: 'kind', label: 'Kind of movement', all: 'All movements', options: movements }],
  isOfOneClient: true,
  columns: [
    ['movement', 'Movement', ({ kind }) => movements[kind]],
    [
      'amount',
      'Amount',
      ({ kind, amount }) => (
        <span class={kind === 'debit' ? '' : 'good'}>
          {kind === 'debit' ? '−' : '+'}
          {naira(amount)}
        </span>
      ),
    ],
    ['balance', 'Balance after', ({ balance }) => naira(balance)],
    [
      'reference',
      'Transaction',
      ({ reference }) => reference !== undefined && <TransactionLink reference={reference} />,
    ],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
  ],
  empty: 'No movement.',
  Detail: TransactionDrawer,
});

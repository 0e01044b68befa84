import { productNames } from '../../words/words.js';
import { session } from './context.js';
import { DeliveryAction, DeliveryDrawer } from './delivery-detail.js';
import type { Choice, ListKind } from './list-tab.js';
import { RequestCopies, RequestDrawer } from './request-detail.js';
import type { Delivery, LedgerEntry, LoggedRequest, Transaction } from './resources.js';
import {
  brief,
  deliveryState,
  naira,
  notesLine,
  productText,
  requestName,
  requestOutcome,
  transactionState,
  webhookState,
} from './text.js';
import { SettleActions, TransactionDrawer } from './transaction-detail.js';
import { Badge, Time, TransactionLink } from './widgets.js';

/** The four lists of the page. */

const choice = (
  param: string,
  label: string,
  all: string,
  options: Readonly<Record<string, string>>,
): Choice => ({ param, label, all, options });

const product = choice('product', 'Product', 'All products', productNames);

/** Only what is due again changes with the time. */
const nowFor = (delivery: { readonly next_attempt_at: string | null } | null): number =>
  delivery?.next_attempt_at ? session.now.value : 0;

const referenceCell = ({ reference }: { readonly reference: string | null }) =>
  reference !== null && <TransactionLink reference={reference} />;

export const transactions: ListKind<Transaction> = {
  name: 'Transactions',
  kind: 'transactions',
  path: '/transactions',
  idOf: ({ reference }) => reference,
  // A transaction changes with its requests and its webhook, too.
  changeOf: (event) => {
    if (event.type === 'transaction') return [event.transaction, event.change === 'accepted'];
    return 'transaction' in event && event.transaction ? [event.transaction, false] : undefined;
  },
  searched: 'reference, phone, product, amount',
  choices: [
    product,
    choice('state', 'State', 'All states', { pending: 'Pending', success: 'Success', failed: 'Failed' }),
  ],
  titleOf: ({ reference }) => reference,
  columns: [
    ['state', 'State', (one) => <Badge {...transactionState(one)} />],
    [
      'product',
      'Product',
      (one) => [
        productText(one),
        one.product_code !== null && <small key="code"> {brief(one.product_code, 24)}</small>,
      ],
    ],
    ['recipient', 'Recipient', ({ recipient }) => brief(recipient, 24)],
    ['amount', 'Amount', ({ amount }) => naira(amount)],
    ['webhook', 'Webhook', (one) => <Badge {...webhookState(one, nowFor(one.delivery))} isFramed={false} />],
    ['sent', 'Requests', ({ requests_sent: sent }) => (sent > 1 ? `× ${sent}` : '')],
    ['client', 'Client', ({ client_id }) => client_id],
    ['time', 'Time (UTC)', ({ accepted_at, created_at }) => <Time at={accepted_at ?? created_at} />],
    ['actions', 'Actions', (one) => <SettleActions transaction={one} />],
  ],
  empty: 'Nothing was bought yet.',
  item: 'transaction',
  Detail: TransactionDrawer,
};

export const deliveries: ListKind<Delivery> = {
  name: 'Webhook deliveries',
  kind: 'deliveries',
  path: '/deliveries',
  idOf: ({ id }) => id,
  changeOf: (event) =>
    event.type === 'event' || event.type === 'delivery'
      ? [event.delivery, event.type === 'event']
      : undefined,
  searched: 'reference, phone, event',
  choices: [
    product,
    choice('state', 'State', 'All states', {
      pending: 'Pending',
      delivered: 'Delivered',
      failed: 'Given up',
    }),
    choice('failing', 'Last attempt', 'Failing or not', { 1: 'Failing only' }),
  ],
  titleOf: ({ event, reference }) => `${event} of ${reference}`,
  columns: [
    ['receiver', 'Receiver', (one) => <Badge {...deliveryState(one, nowFor(one))} />],
    ['event', 'Event', ({ event }) => event.replace('transaction.', '')],
    ['reference', 'Transaction', referenceCell],
    [
      'product',
      'Product',
      ({ product: bought, biller }) =>
        bought !== null && productText({ product: bought, biller: biller ?? '' }),
    ],
    ['amount', 'Amount', ({ amount }) => amount !== null && naira(amount)],
    ['sent', 'Attempts', ({ attempts }) => attempts],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
    ['actions', 'Actions', (one) => <DeliveryAction delivery={one} />],
  ],
  empty: 'A delivery is made when a transaction of a subscribed client settles.',
  item: 'delivery',
  Detail: DeliveryDrawer,
};

const fieldCell = (value: unknown, length: number) => value !== null && brief(String(value), length);

export const requests: ListKind<LoggedRequest> = {
  name: 'Requests',
  kind: 'requests',
  hasNoExport: true,
  path: '/requests',
  idOf: ({ id }) => id,
  changeOf: (event) => (event.type === 'request' ? [event.request, true] : undefined),
  searched: 'path, key, reference, body',
  choices: [
    product,
    choice('status', 'Outcome', 'All outcomes', { 2: '2xx', 4: '4xx', 5: '5xx', none: 'No response' }),
    choice('warnings', 'Warnings', 'All requests', { 1: 'With warnings' }),
  ],
  titleOf: (one) => `request ${one.id}: ${requestName(one)}`,
  columns: [
    ['outcome', 'Outcome', (one) => <Badge {...requestOutcome(one)} />],
    ['call', 'Call', (one) => [requestName(one), <small key="biller"> {fieldCell(one.biller, 16)}</small>]],
    ['recipient', 'Recipient', ({ recipient }) => fieldCell(recipient, 24)],
    ['amount', 'Amount', ({ amount }) => amount !== null && naira(amount)],
    ['notes', 'Notes', (one) => <Badge {...notesLine(one)} isFramed={false} />],
    ['reference', 'Transaction', referenceCell],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
    ['actions', 'Copy as', (one) => <RequestCopies request={one} />],
  ],
  empty: 'No request has arrived yet.',
  item: 'request',
  Detail: RequestDrawer,
};

const movements = { debit: 'Debit', refund: 'Refund', funding: 'Funding' };

export const ledgerOf = (clientId: string): ListKind<LedgerEntry> => ({
  name: `Ledger of ${clientId}`,
  kind: 'ledger',
  path: `/wallets/${encodeURIComponent(clientId)}/ledger`,
  // Movements have no id: within one wallet, the balance after them and their reference tell them apart well enough.
  idOf: ({ at, kind, reference, balance }) => `${at} ${kind} ${reference} ${balance}`,
  opens: ({ reference }) => reference ?? undefined,
  changeOf: (event) =>
    event.type === 'wallet' && event.client_id === clientId ? [event.entry, true] : undefined,
  choices: [choice('kind', 'Kind of movement', 'All movements', movements)],
  isOfOneClient: true,
  titleOf: ({ kind, reference }) => `${kind} ${reference ?? ''}`,
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
    ['reference', 'Transaction', referenceCell],
    ['time', 'Time (UTC)', ({ at }) => <Time at={at} />],
  ],
  empty: 'No movement.',
  item: 'movement',
  Detail: TransactionDrawer,
});

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
  productText,
  requestName,
  requestNotes,
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
    { name: 'State', area: 'state', cell: (one) => <Badge {...transactionState(one)} /> },
    {
      name: 'Product',
      area: 'product',
      cell: (one) => [
        productText(one),
        one.product_code !== null && <small key="code"> {brief(one.product_code, 24)}</small>,
      ],
    },
    { name: 'Recipient', area: 'recipient', cell: ({ recipient }) => brief(recipient, 24) },
    { name: 'Amount', area: 'amount', cell: ({ amount }) => naira(amount) },
    {
      name: 'Webhook',
      area: 'webhook',
      cell: (one) => {
        const { text, tone } = webhookState(one, nowFor(one.delivery));
        return (
          <span class={tone} title={text}>
            {text}
          </span>
        );
      },
    },
    { name: 'Sent', area: 'sent', cell: ({ requests_sent: sent }) => (sent > 1 ? `× ${sent}` : '') },
    { name: 'Client', area: 'client', cell: ({ client_id }) => client_id },
    {
      name: 'Time (UTC)',
      area: 'time',
      cell: ({ accepted_at, created_at }) => <Time at={accepted_at ?? created_at} />,
    },
    { name: 'Actions', area: 'actions', cell: (one) => <SettleActions transaction={one} /> },
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
  searched: 'reference, recipient, event',
  choices: [
    product,
    choice('state', 'State', 'All states', {
      pending: 'Pending',
      delivered: 'Delivered',
      failed: 'Given up',
    }),
    choice('failing', 'Last attempt', 'Any last attempt', { 1: 'Last attempt failed' }),
  ],
  titleOf: ({ event, reference }) => `${event} of ${reference}`,
  columns: [
    { name: 'Receiver', area: 'receiver', cell: (one) => <Badge {...deliveryState(one, nowFor(one))} /> },
    { name: 'Event', area: 'event', cell: ({ event }) => event.replace('transaction.', '') },
    { name: 'Transaction', area: 'reference', cell: referenceCell },
    {
      name: 'Product',
      area: 'product',
      cell: ({ product: bought, biller }) =>
        bought !== null && productText({ product: bought, biller: biller ?? '' }),
    },
    { name: 'Amount', area: 'amount', cell: ({ amount }) => amount !== null && naira(amount) },
    { name: 'Attempts', area: 'sent', cell: ({ attempts }) => attempts },
    { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
    { name: 'Actions', area: 'actions', cell: (one) => <DeliveryAction delivery={one} /> },
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
    choice('warnings', 'Warnings', 'With or without warnings', { 1: 'Only with warnings' }),
  ],
  titleOf: (one) => `request ${one.id}: ${requestName(one)}`,
  columns: [
    { name: 'Outcome', area: 'outcome', cell: (one) => <Badge {...requestOutcome(one)} /> },
    { name: 'Call', area: 'call', cell: requestName },
    { name: 'Biller', area: 'biller', cell: ({ biller }) => fieldCell(biller, 16) },
    { name: 'Recipient', area: 'recipient', cell: ({ recipient }) => fieldCell(recipient, 24) },
    { name: 'Amount', area: 'amount', cell: ({ amount }) => amount !== null && naira(amount) },
    {
      name: 'Notes',
      area: 'notes',
      // All notes in one line; the drawer has a line for each.
      cell: (one) => {
        const notes = requestNotes(one);
        const text = notes.map((note) => note.text).join('; ');
        return (
          <span class={notes.some(({ tone }) => tone === 'wait') ? 'wait' : 'plain'} title={text}>
            {text}
          </span>
        );
      },
    },
    { name: 'Transaction', area: 'reference', cell: referenceCell },
    { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
    { name: 'Copy as', area: 'actions', cell: (one) => <RequestCopies request={one} /> },
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
  changeOf: (event) =>
    event.type === 'wallet' && event.client_id === clientId ? [event.entry, true] : undefined,
  choices: [choice('kind', 'Kind of movement', 'All movements', movements)],
  isOfOneClient: true,
  titleOf: ({ kind, reference }) => `${kind} ${reference ?? ''}`,
  columns: [
    { name: 'Movement', area: 'movement', cell: ({ kind }) => movements[kind] },
    {
      name: 'Amount',
      area: 'amount',
      cell: ({ kind, amount }) => (
        <span class={kind === 'debit' ? '' : 'good'}>
          {kind === 'debit' ? '−' : '+'}
          {naira(amount)}
        </span>
      ),
    },
    { name: 'Balance after', area: 'balance', cell: ({ balance }) => naira(balance) },
    { name: 'Transaction', area: 'reference', cell: referenceCell },
    { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
  ],
  empty: 'No movement.',
  item: 'movement',
  Detail: MovementDrawer,
});

/** Of a movement, the transaction is shown. */
function MovementDrawer({ known }: { readonly known: LedgerEntry | undefined }) {
  return known?.reference ? <TransactionDrawer id={known.reference} /> : null;
}

import { useState } from 'preact/hooks';
import { hasValues } from '../../control/filter.js';
import { searchableTransaction, searchFor } from '../../control/search.js';
import { useSession } from './context.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import type { SandboxEvent, Transaction } from './resources.js';
import { StartCards } from './start.js';
import { type Column, ListTable } from './table.js';
import { brief, naira, productText, transactionState, webhookState } from './text.js';
import { SettleActions, TransactionDrawer } from './transaction-detail.js';
import { type ListSource, useList } from './use-list.js';
import { Badge, Time, TransactionLink } from './widgets.js';

const idOf = ({ reference }: Transaction) => reference;

/** A transaction changes with its requests and its webhook, too. */
function changeOf(event: SandboxEvent): ReturnType<ListSource<Transaction>['changeOf']> {
  if (event.type === 'transaction') return { item: event.transaction, isNew: event.change === 'accepted' };
  return 'transaction' in event && event.transaction ? { item: event.transaction, isNew: false } : undefined;
}

const states = {
  param: 'state',
  label: 'State',
  options: [
    ['', 'All states'],
    ['pending', 'Pending'],
    ['success', 'Success'],
    ['failed', 'Failed'],
  ],
} as const;

const columns: readonly Column<Transaction>[] = [
  { name: 'State', area: 'state', cell: (transaction) => <Badge {...transactionState(transaction)} /> },
  { name: 'Product', area: 'product', cell: (transaction) => <Product transaction={transaction} /> },
  { name: 'Recipient', area: 'recipient', cell: ({ recipient }) => brief(recipient, 24) },
  { name: 'Amount', area: 'amount', cell: ({ amount }) => naira(amount) },
  { name: 'Webhook', area: 'webhook', cell: (transaction) => <Webhook transaction={transaction} /> },
  { name: 'Sent', area: 'sent', cell: ({ requests_sent: sent }) => (sent > 1 ? `× ${sent}` : '') },
  {
    name: 'Time (UTC)',
    area: 'time',
    cell: ({ accepted_at, created_at }) => <Time at={accepted_at ?? created_at} />,
  },
  { name: 'Actions', area: 'actions', cell: (transaction) => <SettleActions transaction={transaction} /> },
];

const clientColumn: Column<Transaction> = {
  name: 'Client',
  area: 'client',
  cell: ({ client_id }) => client_id,
};

export function TransactionsTab({ params }: { readonly params: Params }) {
  const { client, product, state, q, open } = params;
  const isFiltered = Boolean(client || product || state || q);
  const buyers = useSession().summary.value?.clients ?? 1;
  const [isStarting, setStarting] = useState(false);
  const isFound = searchFor(q);
  const list = useList<Transaction>({
    path: '/transactions',
    query: { client, product, state, q },
    idOf,
    changeOf,
    matches: (transaction) =>
      hasValues(params, {
        client: transaction.client_id,
        product: transaction.product,
        state: transaction.state,
      }) && isFound(searchableTransaction(transaction)),
    isHeld: isFiltered || open !== undefined || isStarting,
  });
  const { live } = list;
  const isEmpty = live.loaded.value && live.total.value === 0;
  const newest = live.waiting.value[0] ?? live.chunks.value[0]?.rows.value[0];
  const drawer = open !== undefined && (
    <TransactionDrawer key={open} reference={open} known={live.get(open)} />
  );
  if ((isEmpty && !isFiltered) || isStarting) {
    return (
      <>
        {/* Who has begun with a form keeps it when the first transaction arrives. */}
        <div class="start" onPointerDown={() => setStarting(true)} onFocusIn={() => setStarting(true)}>
          <Latest transaction={newest?.item.value} onLeave={() => setStarting(false)} />
          <StartCards client={client} />
        </div>
        {drawer}
      </>
    );
  }
  return (
    <>
      <Filters
        params={params}
        placeholder="reference, phone, product, amount"
        choices={[productChoices, states]}
        list={list}
        download={{ path: '/transactions/export', query: { client, product, state, q } }}
      />
      <ListTable
        name="Transactions"
        kind="transactions"
        list={list}
        titleOf={idOf}
        columns={
          buyers > 1 && !client ? [...columns.slice(0, -2), clientColumn, ...columns.slice(-2)] : columns
        }
        empty="No transaction matches these filters."
      />
      {drawer}
    </>
  );
}

interface LatestProps {
  readonly transaction: Transaction | undefined;
  readonly onLeave: () => void;
}

/** One line, so that nothing below it moves when a transaction arrives. */
function Latest({ transaction, onLeave }: LatestProps) {
  if (!transaction) {
    return (
      <p class="latest">
        <b>Nothing was bought yet.</b> Transactions appear here as they happen, from your program or from
        these forms.
      </p>
    );
  }
  return (
    <p class="latest">
      Latest transaction: <TransactionLink reference={transaction.reference} /> {productText(transaction)},{' '}
      {naira(transaction.amount)} <Badge {...transactionState(transaction)} />
      <button type="button" onClick={onLeave}>
        Show all transactions
      </button>
    </p>
  );
}

function Product({ transaction }: { readonly transaction: Transaction }) {
  return (
    <>
      {productText(transaction)}
      {transaction.product_code !== null && <small> {brief(transaction.product_code, 24)}</small>}
    </>
  );
}

function Webhook({ transaction }: { readonly transaction: Transaction }) {
  const session = useSession();
  // Only what is due again changes with the time.
  const { text, tone } = webhookState(
    transaction,
    transaction.delivery?.next_attempt_at ? session.now.value : 0,
  );
  return (
    <span class={tone} title={text}>
      {text}
    </span>
  );
}

import { useState } from 'preact/hooks';
import { hasValues } from '../../control/filter.js';
import { searchableSale, searchFor } from '../../control/search.js';
import { useSession } from './context.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import type { Sale, SandboxEvent } from './resources.js';
import { SaleDrawer, SettleActions } from './sale-detail.js';
import { StartCards } from './start.js';
import { type Column, ListTable } from './table.js';
import { brief, naira, saleProduct, saleState, webhookState } from './text.js';
import { type ListSource, useList } from './use-list.js';
import { Badge, SaleLink, Time } from './widgets.js';

const idOf = ({ reference }: Sale) => reference;

/** A sale changes with its requests and its webhook, too. */
function changeOf(event: SandboxEvent): ReturnType<ListSource<Sale>['changeOf']> {
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

const columns: readonly Column<Sale>[] = [
  { name: 'State', area: 'state', cell: (sale) => <Badge {...saleState(sale)} /> },
  { name: 'Product', area: 'product', cell: (sale) => <Product sale={sale} /> },
  { name: 'Recipient', area: 'recipient', cell: ({ recipient }) => brief(recipient, 24) },
  { name: 'Amount', area: 'amount', cell: ({ amount }) => naira(amount) },
  { name: 'Webhook', area: 'webhook', cell: (sale) => <Webhook sale={sale} /> },
  { name: 'Sent', area: 'sent', cell: ({ requests_sent: sent }) => (sent > 1 ? `× ${sent}` : '') },
  {
    name: 'Time (UTC)',
    area: 'time',
    cell: ({ accepted_at, created_at }) => <Time at={accepted_at ?? created_at} />,
  },
  { name: 'Actions', area: 'actions', cell: (sale) => <SettleActions sale={sale} /> },
];

const clientColumn: Column<Sale> = { name: 'Client', area: 'client', cell: ({ client_id }) => client_id };

export function SalesTab({ params }: { readonly params: Params }) {
  const { client, product, state, q, open } = params;
  const isFiltered = Boolean(client || product || state || q);
  const buyers = useSession().summary.value?.clients ?? 1;
  const [isStarting, setStarting] = useState(false);
  const isFound = searchFor(q);
  const list = useList<Sale>({
    path: '/transactions',
    query: { client, product, state, q },
    idOf,
    changeOf,
    matches: (sale) =>
      hasValues(params, { client: sale.client_id, product: sale.product, state: sale.state }) &&
      isFound(searchableSale(sale)),
    isHeld: isFiltered || open !== undefined || isStarting,
  });
  const { live } = list;
  const isEmpty = live.loaded.value && live.total.value === 0;
  const newest = live.waiting.value[0] ?? live.chunks.value[0]?.rows.value[0];
  const drawer = open !== undefined && <SaleDrawer key={open} reference={open} known={live.get(open)} />;
  if ((isEmpty && !isFiltered) || isStarting) {
    return (
      <>
        {/* Who has begun with a form keeps it when the first sale arrives. */}
        <div class="start" onPointerDown={() => setStarting(true)} onFocusIn={() => setStarting(true)}>
          <Latest sale={newest?.item.value} onLeave={() => setStarting(false)} />
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
        name="Sales"
        kind={buyers > 1 && !client ? 'sales with-client' : 'sales'}
        list={list}
        titleOf={idOf}
        columns={
          buyers > 1 && !client ? [...columns.slice(0, -2), clientColumn, ...columns.slice(-2)] : columns
        }
        empty="No sale matches these filters."
      />
      {drawer}
    </>
  );
}

interface LatestProps {
  readonly sale: Sale | undefined;
  readonly onLeave: () => void;
}

/** One line, so that nothing below it moves when a sale arrives. */
function Latest({ sale, onLeave }: LatestProps) {
  if (!sale) {
    return (
      <p class="latest">
        <b>Nothing was bought yet.</b> Sales appear here as they happen, from your program or from these
        forms.
      </p>
    );
  }
  return (
    <p class="latest">
      Latest sale: <SaleLink reference={sale.reference} /> {saleProduct(sale)}, {naira(sale.amount)}{' '}
      <Badge {...saleState(sale)} />
      <button type="button" onClick={onLeave}>
        Show all sales
      </button>
    </p>
  );
}

function Product({ sale }: { readonly sale: Sale }) {
  return (
    <>
      {saleProduct(sale)}
      {sale.product_code !== null && <small> {brief(sale.product_code, 24)}</small>}
    </>
  );
}

function Webhook({ sale }: { readonly sale: Sale }) {
  const session = useSession();
  // Only what is due again changes with the time.
  const { text, tone } = webhookState(sale, sale.delivery?.next_attempt_at ? session.now.value : 0);
  return (
    <span class={tone} title={text}>
      {text}
    </span>
  );
}

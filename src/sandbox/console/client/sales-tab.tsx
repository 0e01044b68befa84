import { hasValues } from '../../control/filter.js';
import { searchableSale, searchFor } from '../../control/search.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import type { Sale, SandboxEvent } from './resources.js';
import { SalePanel, SettleActions } from './sale-detail.js';
import { useLoaded } from './session-context.js';
import { StartPanel } from './start.js';
import { ListTable } from './table.js';
import { brief, naira, saleProduct, saleState } from './text.js';
import { useList } from './use-list.js';
import { Badge, Time } from './widgets.js';

const idOf = ({ reference }: Sale) => reference;

const changeOf = (event: SandboxEvent) =>
  event.type === 'transaction' ? { item: event.transaction, isNew: event.change === 'accepted' } : undefined;

const matches = (sale: Sale, params: Params): boolean =>
  hasValues(params, { client: sale.client_id, product: sale.product, state: sale.state }) &&
  searchFor(params['q'])(searchableSale(sale));

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

export function SalesTab({ params }: { readonly params: Params }) {
  const { client, product, state, q } = params;
  const list = useList<Sale>({
    path: '/transactions',
    query: { client, product, state, q },
    idOf,
    changeOf,
    matches: (sale) => matches(sale, params),
  });
  const isFiltered = Boolean(client || product || state || q);
  const isEmpty = list.loaded && list.rows.length === 0 && list.waiting.length === 0;
  const only = list.rows.length === 1 && list.rows[0]?.reference === q ? q : undefined;
  return (
    <>
      {list.loaded && (
        <StartPanel
          client={client}
          initiallyOpen={isEmpty && !isFiltered}
          latest={list.waiting[0] ?? list.rows[0]}
        />
      )}
      {(!isEmpty || isFiltered) && (
        <>
          <Filters
            params={params}
            placeholder="reference, recipient, biller, key"
            choices={[productChoices, states]}
          />
          <ListTable
            name="Sales"
            list={list}
            idOf={idOf}
            titleOf={idOf}
            initiallyOpen={only}
            columns={[
              { name: 'Sale', area: 'title', cell: ({ reference }) => <code>{reference}</code> },
              { name: 'Time (UTC)', area: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Client', area: 'client', cell: ({ client_id }) => client_id },
              { name: 'Product', area: 'subject', cell: (sale) => <Product sale={sale} /> },
              { name: 'Recipient', area: 'recipient', cell: (sale) => <Recipient sale={sale} /> },
              { name: 'Amount', area: 'amount', cell: ({ amount }) => naira(amount) },
              { name: 'State', area: 'state', cell: (sale) => <Badge {...saleState(sale)} /> },
            ]}
            actions={(sale) => <SettleActions sale={sale} />}
            details={(sale) => <SalePanel sale={sale} />}
            empty="No sale matches these filters."
          />
        </>
      )}
    </>
  );
}

function Product({ sale }: { readonly sale: Sale }) {
  return (
    <>
      {saleProduct(sale)}
      {sale.product_code !== null && <small>{brief(sale.product_code, 24)}</small>}
    </>
  );
}

/** A recipient, and what it triggers. */
function Recipient({ sale }: { readonly sale: Sale }) {
  const { triggers } = useLoaded();
  const trigger = triggers.find(({ recipient }) => recipient === sale.recipient);
  return (
    <>
      {brief(sale.recipient, 24)}
      {trigger && <small>trigger: {trigger.effect}</small>}
    </>
  );
}

import { hasValues } from '../../control/filter.js';
import { money } from '../../words/words.js';
import { linkTo, useLoaded } from './context.js';
import { Filters } from './filters.js';
import type { Params } from './location.js';
import type { LedgerEntry, SandboxEvent } from './resources.js';
import { FundForm } from './subscribe-form.js';
import { type Column, ListTable } from './table.js';
import { naira } from './text.js';
import { TransactionDrawer } from './transaction-detail.js';
import { useList } from './use-list.js';
import { Card, Time, TransactionLink } from './widgets.js';

const kinds = {
  param: 'kind',
  label: 'Kind of movement',
  options: [
    ['', 'All movements'],
    ['debit', 'Debits'],
    ['refund', 'Refunds'],
    ['funding', 'Funding'],
  ],
} as const;

/** Movements have no id: within one wallet, the balance after them and their reference tell them apart well enough. */
const idOf = ({ at, kind, reference, balance }: LedgerEntry): string =>
  `${at} ${kind} ${reference} ${balance}`;

const kindNames = { debit: 'Debit', refund: 'Refund', funding: 'Funding' } as const;

const columns: readonly Column<LedgerEntry>[] = [
  { name: 'Movement', area: 'movement', cell: ({ kind }) => kindNames[kind] },
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
  {
    name: 'Transaction',
    area: 'reference',
    cell: ({ reference }) => reference !== null && <TransactionLink reference={reference} />,
  },
  { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
];

export function WalletTab({ params }: { readonly params: Params }) {
  const { clients, info } = useLoaded();
  const shown = clients.filter(({ client_id }) => !params['client'] || client_id === params['client']);
  const owner = params['client'] || info.default_client_id;
  return (
    <>
      <ul class="wallets">
        {shown.map(({ client_id, balance }) => (
          <li key={client_id}>
            <a href={linkTo('wallet', { client: client_id })}>{client_id}</a>
            <p class="balance">
              <small>NGN</small> {money(balance)}
            </p>
          </li>
        ))}
      </ul>
      <div class="split">
        <Ledger clientId={owner} params={params} key={owner} />
        <Card title="Fund a wallet">
          <FundForm client={params['client']} />
        </Card>
      </div>
    </>
  );
}

interface LedgerProps {
  readonly clientId: string;
  readonly params: Params;
}

function Ledger({ clientId, params }: LedgerProps) {
  const { kind, open } = params;
  const path = `/wallets/${encodeURIComponent(clientId)}/ledger`;
  const list = useList<LedgerEntry>({
    path,
    query: { kind },
    idOf,
    changeOf: (event: SandboxEvent) =>
      event.type === 'wallet' && event.client_id === clientId
        ? { item: event.entry, isNew: true }
        : undefined,
    matches: (entry) => hasValues({ kind }, { kind: entry.kind }),
    isHeld: kind !== undefined || open !== undefined,
  });
  const reference = open === undefined ? undefined : list.live.get(open)?.reference;
  return (
    <section aria-label={`Ledger of ${clientId}`}>
      <h3>Ledger of {clientId}</h3>
      <Filters
        params={params}
        choices={[kinds]}
        list={list}
        download={{ path: `${path}/export`, query: { kind } }}
      />
      <ListTable
        name={`Ledger of ${clientId}`}
        kind="ledger"
        list={list}
        titleOf={({ kind: name, reference: transaction }) => `${name} ${transaction ?? ''}`}
        columns={columns}
        empty="No movement."
      />
      {reference && <TransactionDrawer key={reference} reference={reference} known={undefined} />}
    </section>
  );
}

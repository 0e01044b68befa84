import { hasValues } from '../../control/filter.js';
import { money } from '../../words/words.js';
import type { Params } from './location.js';
import { Pager } from './pager.js';
import type { LedgerEntry, SandboxEvent } from './resources.js';
import { linkTo, setParams, useLoaded } from './session-context.js';
import { FundForm } from './subscribe-form.js';
import { plural } from './text.js';
import { useList } from './use-list.js';
import { Card, SaleLink, Time } from './widgets.js';

const kinds = [
  ['', 'All movements'],
  ['debit', 'Debits'],
  ['refund', 'Refunds'],
  ['funding', 'Funding'],
] as const;

/** Movements have no id: within one wallet, the balance after them and their reference tell them apart well enough. */
const idOf = ({ at, kind, reference, balance }: LedgerEntry): string =>
  `${at} ${kind} ${reference} ${balance}`;

export function WalletTab({ params }: { readonly params: Params }) {
  const { clients, info } = useLoaded();
  const shown = clients.filter(({ client_id }) => !params['client'] || client_id === params['client']);
  const owner = params['client'] || info.default_client_id;
  return (
    <>
      <ul class="wallets">
        {shown.map(({ client_id, balance }) => (
          <li key={client_id} class="card">
            <a href={linkTo('wallet', { client: client_id })}>{client_id}</a>
            <p class="balance">
              <small>NGN</small> {money(balance)}
            </p>
          </li>
        ))}
      </ul>
      <div class="split">
        <Ledger clientId={owner} kind={params['kind']} key={owner} />
        <Card title="Fund a wallet">
          <FundForm client={params['client']} />
        </Card>
      </div>
    </>
  );
}

interface LedgerProps {
  readonly clientId: string;
  readonly kind: string | undefined;
}

function Ledger({ clientId, kind }: LedgerProps) {
  const list = useList<LedgerEntry>({
    path: `/wallets/${encodeURIComponent(clientId)}/ledger`,
    query: { kind },
    idOf,
    changeOf: (event: SandboxEvent) =>
      event.type === 'wallet' && event.client_id === clientId
        ? { item: event.entry, isNew: true }
        : undefined,
    matches: (entry) => hasValues({ kind }, { kind: entry.kind }),
  });
  const filter = (
    <select
      aria-label="Kind of movement"
      value={kind ?? ''}
      onChange={(event) => setParams({ kind: event.currentTarget.value })}
    >
      {kinds.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
  return (
    <Card title={`Ledger of ${clientId}`} actions={filter}>
      {list.rows.length === 0 ? (
        <p class="empty">{list.loaded ? 'No movement.' : 'Loading…'}</p>
      ) : (
        <div class="table">
          <table class="ledger">
            <caption>Ledger of {clientId}</caption>
            <thead>
              <tr>
                <th scope="col">Movement</th>
                <th scope="col">Time (UTC)</th>
                <th scope="col">Sale</th>
                <th scope="col" class="amount">
                  Amount
                </th>
                <th scope="col" class="amount">
                  Balance
                </th>
              </tr>
            </thead>
            <tbody>
              {list.rows.map((entry) => (
                <tr key={idOf(entry)}>
                  <td>{entry.kind}</td>
                  <td>
                    <Time at={entry.at} />
                  </td>
                  <td class="reference">
                    {entry.reference !== null && <SaleLink reference={entry.reference} />}
                  </td>
                  <td class={`amount ${entry.kind === 'debit' ? '' : 'good'}`}>
                    {entry.kind === 'debit' ? '−' : '+'}
                    {money(entry.amount)}
                  </td>
                  <td class="amount">{money(entry.balance)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Pager list={list}>{plural(list.rows.length, 'movement')}</Pager>
        </div>
      )}
    </Card>
  );
}

import { useMemo, useState } from 'preact/hooks';
import { money } from '../../words/words.js';
import { chosenClient, linkTo, session, useClients, useLoaded } from './context.js';
import { ListTab } from './list-tab.js';
import { deliveries, ledgerOf, requests, transactions } from './lists.js';
import type { Transaction } from './resources.js';
import { FundForm, StartCards, SubscribeForm } from './start.js';
import { naira, productText, transactionState } from './text.js';
import { Action, Badge, Card, TransactionLink } from './widgets.js';

/** The tabs that are lists, each with what is around its list. */

const withoutClient = {
  ...transactions,
  columns: transactions.columns.filter(([area]) => area !== 'client'),
};

export function TransactionsTab() {
  // Who has begun with a form keeps it when the first transaction arrives.
  const [isStarting, setStarting] = useState(false);
  const buyers = session.summary.value?.clients ?? 1;
  return (
    <ListTab
      of={buyers > 1 && !chosenClient() ? transactions : withoutClient}
      isHeld={isStarting}
      instead={(newest, isEmpty) =>
        (isEmpty || isStarting) && (
          <div class="start" onPointerDown={() => setStarting(true)} onFocusIn={() => setStarting(true)}>
            <Latest transaction={newest} onLeave={() => setStarting(false)} />
            <StartCards />
          </div>
        )
      }
    />
  );
}

/** One line, so that nothing below it moves when a transaction arrives. */
function Latest({
  transaction,
  onLeave,
}: {
  readonly transaction: Transaction | undefined;
  readonly onLeave: () => void;
}) {
  if (!transaction) {
    return (
      <p class="bar latest">
        <b>{transactions.empty}</b> Transactions appear here as they happen, from your program or from these
        forms.
      </p>
    );
  }
  return (
    <p class="bar latest">
      Latest transaction: <TransactionLink reference={transaction.reference} /> {productText(transaction)},{' '}
      {naira(transaction.amount)} <Badge {...transactionState(transaction)} />
      <Action run={onLeave} text="Show all transactions" />
    </p>
  );
}

export const RequestsTab = () => <ListTab of={requests} />;

export function WebhooksTab() {
  const subscribed = useClients().filter(({ subscription }) => subscription !== null);
  return (
    <>
      <ListTab of={deliveries} />
      <Card title="Subscriptions">
        {subscribed.length === 0 && <p class="soft">No client is subscribed.</p>}
        <ul class="plain">
          {subscribed.map(({ client_id, subscription }) => (
            <li key={client_id}>
              <a href={linkTo('clients')}>{client_id}</a> <code>{subscription?.url}</code>
              {subscription?.enabled === false && <Badge text="disabled" tone="wait" />}
            </li>
          ))}
        </ul>
        <SubscribeForm />
      </Card>
    </>
  );
}

export function WalletTab() {
  const owner = chosenClient() || useLoaded().info.default_client_id;
  const ledger = useMemo(() => ledgerOf(owner), [owner]);
  return (
    <>
      <ul class="wallets">
        {useClients().map(({ client_id, balance }) => (
          <li key={client_id}>
            <a href={linkTo('wallet', { client: client_id })}>{client_id}</a>
            <p class="balance">
              <small>NGN</small> {money(balance)}
            </p>
          </li>
        ))}
      </ul>
      <div class="split">
        <section aria-label={`Ledger of ${owner}`}>
          <h3>Ledger of {owner}</h3>
          <ListTab of={ledger} key={owner} />
        </section>
        <Card title="Fund a wallet">
          <FundForm />
        </Card>
      </div>
    </>
  );
}

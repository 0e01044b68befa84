import { useMemo, useState } from 'preact/hooks';
import { money } from '../../../contract/money.js';
import { chosenClient, linkTo, place, useClient, useSummary } from './context.js';
import { RetryAllFailing } from './delivery-detail.js';
import { ListTab } from './list.js';
import { deliveries, ledgerOf, purchases, requests } from './lists.js';
import { FundForm, StartCards, SubscribeForm } from './start.js';
import { plural } from './text.js';
import { Action, Badge, Card } from './widgets.js';

/** The tabs that are lists, each with what is around its list. */

export function PurchasesTab() {
  const { transactions, refused } = useSummary().counts;
  const tried = transactions.total + refused;
  // Who has begun with a form keeps it when the first purchase arrives.
  const [isStarting, setStarting] = useState(false);
  const isOpen = place.value.params['open'] !== undefined;
  if (tried > 0 && (!isStarting || isOpen)) return <ListTab of={purchases} />;
  return (
    <div class="start" onPointerDown={() => setStarting(true)} onFocusIn={() => setStarting(true)}>
      {/* One line, so that nothing below it moves when a purchase arrives. */}
      <p class="bar latest">
        {tried === 0 ? (
          <span>
            <b>{purchases.empty}</b> Purchases appear here as they happen, from your program or from these
            forms.
          </span>
        ) : (
          <>
            {plural(tried, 'purchase')} so far.
            <Action run={() => setStarting(false)} text="Show all purchases" />
          </>
        )}
      </p>
      <StartCards />
    </div>
  );
}

export const RequestsTab = () => <ListTab of={requests} />;

export function WebhooksTab() {
  const subscribed = useSummary().clients.filter(
    ({ clientId, subscription }) => subscription && (chosenClient() ?? clientId) === clientId,
  );
  return (
    <>
      <ListTab of={deliveries} actions={<RetryAllFailing />} />
      <Card title="Subscriptions">
        {subscribed.length === 0 && <p class="soft">No client is subscribed.</p>}
        <ul class="plain">
          {subscribed.map(({ clientId, subscription }) => (
            <li key={clientId}>
              {clientId} <code>{subscription?.url}</code>
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
  const { clients } = useSummary();
  const { clientId: owner } = useClient();
  const ledger = useMemo(() => ledgerOf(owner), [owner]);
  return (
    <>
      {clients.length > 1 && (
        <ul class="wallets">
          {clients.map(({ clientId, balance }) => (
            <li key={clientId}>
              <a href={linkTo('wallet', { client: clientId })}>{clientId}</a>
              <p class="balance">
                <small>NGN</small> {money(balance)}
              </p>
            </li>
          ))}
        </ul>
      )}
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

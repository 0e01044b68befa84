import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ClientsTab } from './clients-tab.js';
import { place, useSession } from './context.js';
import { FaultsTab } from './faults-tab.js';
import { Banners, Header, Notices, tabCount } from './header.js';
import { type Params, type TabName, tabs } from './location.js';
import { RequestsTab } from './requests-tab.js';
import { TryDialog } from './start.js';
import { useOpenInSight } from './table.js';
import { TokenForm } from './token.js';
import { TransactionsTab } from './transactions-tab.js';
import { WalletTab } from './wallet-tab.js';
import { WebhooksTab } from './webhooks-tab.js';

const contents: Readonly<Record<TabName, ComponentType<{ readonly params: Params }>>> = {
  transactions: TransactionsTab,
  webhooks: WebhooksTab,
  requests: RequestsTab,
  wallet: WalletTab,
  faults: FaultsTab,
  clients: ClientsTab,
};

/** What the browser calls the tab: `Webhooks, 31 failing`, or what is open. */
function useTitle(tab: TabName, open: string | undefined): void {
  const summary = useSession().summary.value;
  const { title = '' } = tabs.find(({ name }) => name === tab) ?? {};
  const { count, alarm } = summary ? tabCount(tab, summary) : {};
  const detail = alarm ?? count;
  const shown = open ?? (detail === undefined ? title : `${title}, ${detail}`);
  useEffect(() => {
    document.title = `${shown} · billpay sandbox`;
  }, [shown]);
}

export function App() {
  const session = useSession();
  const connection = session.connection.value;
  const { tab, params } = place.value;
  const [isTrying, setTrying] = useState(false);
  useTitle(tab, params['open']);
  useOpenInSight();
  if (connection === 'locked') return <TokenForm />;
  if (!session.loaded.value)
    return <p class="empty">{connection === 'lost' ? 'The sandbox cannot be reached.' : 'Loading…'}</p>;
  const Content = contents[tab];
  return (
    <>
      <Header tab={tab} params={params} onTry={() => setTrying(true)} />
      <Banners />
      <main>
        <h2 class="unseen">{tabs.find(({ name }) => name === tab)?.title}</h2>
        <Content params={params} key={tab} />
      </main>
      {isTrying && <TryDialog client={params['client']} onClose={() => setTrying(false)} />}
      <Notices />
    </>
  );
}

import type { ComponentType } from 'preact';
import { ClientsTab } from './clients-tab.js';
import { FaultsTab } from './faults-tab.js';
import { Banners, Header, Notices } from './header.js';
import { type Params, type TabName, tabs } from './location.js';
import { RequestsTab } from './requests-tab.js';
import { SalesTab } from './sales-tab.js';
import { usePlace, useSession } from './session-context.js';
import { useStore } from './store.js';
import { TokenForm } from './token.js';
import { WalletTab } from './wallet-tab.js';
import { WebhooksTab } from './webhooks-tab.js';

const contents: Readonly<Record<TabName, ComponentType<{ readonly params: Params }>>> = {
  sales: SalesTab,
  webhooks: WebhooksTab,
  requests: RequestsTab,
  wallet: WalletTab,
  faults: FaultsTab,
  clients: ClientsTab,
};

export function App() {
  const session = useSession();
  const connection = useStore(session.connection);
  const loaded = useStore(session.loaded);
  const { tab, params } = usePlace();
  if (connection === 'locked') return <TokenForm />;
  if (!loaded)
    return <p class="empty">{connection === 'lost' ? 'The sandbox cannot be reached.' : 'Loading…'}</p>;
  const Content = contents[tab];
  return (
    <>
      <Header tab={tab} params={params} />
      <Banners />
      <main>
        <h2 class="unseen">{tabs.find(({ name }) => name === tab)?.title}</h2>
        <Content params={params} key={tab} />
      </main>
      <Notices />
    </>
  );
}

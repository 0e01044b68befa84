import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { ClientsTab } from './clients-tab.js';
import { api, place, session, storedToken, tokenKey } from './context.js';
import { followEvents, shareEvents } from './events.js';
import { FaultsTab } from './faults-tab.js';
import { Form } from './forms.js';
import { Banners, Header, Notices, tabNote } from './header.js';
import { listenToKeys } from './keys.js';
import { RequestsTab, TransactionsTab, WalletTab, WebhooksTab } from './list-tabs.js';
import { type TabName, tabs } from './location.js';

const contents: Readonly<Record<TabName, ComponentType>> = {
  transactions: TransactionsTab,
  webhooks: WebhooksTab,
  requests: RequestsTab,
  wallet: WalletTab,
  faults: FaultsTab,
  clients: ClientsTab,
};

function App() {
  const connection = session.connection.value;
  const { tab, params } = place.value;
  // What the browser calls the tab: `Webhooks, 31 failing`, or what is open.
  const title = params['open'] ?? [tabs[tab], tabNote(tab)?.text].filter(Boolean).join(', ');
  useEffect(() => {
    document.title = `${title} · billpay sandbox`;
  }, [title]);
  if (connection === 'locked') return <TokenForm />;
  if (!session.loaded.value)
    return <p class="soft">{connection === 'lost' ? 'The sandbox cannot be reached.' : 'Loading…'}</p>;
  const Content = contents[tab];
  return (
    <>
      <Header />
      <Banners />
      <main>
        <h2 class="unseen">{tabs[tab]}</h2>
        <Content key={tab} />
      </main>
      <Notices />
    </>
  );
}

/** Asks for the control token. It is sent as a header, and never becomes part of an address. */
function TokenForm() {
  return (
    <main class="locked">
      <h1>billpay sandbox</h1>
      <section class="card">
        <p>
          {storedToken() !== undefined && <b>This token is not the one of this sandbox. </b>}
          This sandbox is open to a network, so it asks for the control token that was printed when it
          started.
        </p>
        <Form
          name="Control token"
          submit="Open"
          fields={[{ name: 'token', label: 'Control token', type: 'password', wide: true, required: true }]}
          onSubmit={async ({ token = '' }) => {
            localStorage.setItem(tokenKey, token);
            location.reload();
          }}
        />
      </section>
    </main>
  );
}

shareEvents(
  {
    locks: navigator.locks,
    createChannel: () => new BroadcastChannel('billpay-sandbox'),
    document,
  },
  (listener, stop) => followEvents(api, listener, stop),
  session.receive,
);
// A token that was entered in one tab opens the others as well.
addEventListener('storage', ({ key }) => {
  if (key === tokenKey) location.reload();
});
listenToKeys();
setInterval(session.tick, 5000);

render(<App />, document.body);

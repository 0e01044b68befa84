import './style.css';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { followChanges, followWhileVisible } from './changes.js';
import { api, place, session, storedToken, tokenKey } from './context.js';
import { closeDrawer } from './drawer.js';
import { Form } from './forms.js';
import { Banners, Header, Notices, tabNote } from './header.js';
import { type TabName, tabs } from './location.js';
import { SettingsTab } from './settings-tab.js';
import { PurchasesTab, RequestsTab, WalletTab, WebhooksTab } from './tabs.js';

const contents: Readonly<Record<TabName, ComponentType>> = {
  purchases: PurchasesTab,
  webhooks: WebhooksTab,
  requests: RequestsTab,
  wallet: WalletTab,
  settings: SettingsTab,
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
  if (!session.summary.value)
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
          This sandbox asks for the control token that was printed when it started.
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

followWhileVisible(document, (stop) =>
  followChanges(
    api,
    {
      connection: (state) => {
        session.connection.value = state;
      },
      changed: session.changed,
    },
    stop,
  ),
);
// A token that was entered in one tab opens the others as well.
addEventListener('storage', ({ key }) => {
  if (key === tokenKey) location.reload();
});
// `/` searches, Escape closes what is open.
document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const field = target instanceof Element ? target.closest('input, select, textarea, dialog') : null;
  if (key === 'Escape' && !document.querySelector('dialog[open]')) {
    if (document.querySelector('.drawer')) closeDrawer();
    else if (field instanceof HTMLElement) field.blur();
  }
  if (key === '/' && !field) {
    const search = document.querySelector<HTMLInputElement>('input[type="search"]');
    search?.select();
    if (search) event.preventDefault();
  }
});
setInterval(session.tick, 5000);

render(<App />, document.body);

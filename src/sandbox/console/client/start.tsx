import { useState } from 'preact/hooks';
import { envBlock, firstPurchaseCurl } from '../../words/paste.js';
import { covered } from '../../words/tokens.js';
import { BuyForm } from './buy-form.js';
import { Pre } from './code.js';
import type { Sale } from './resources.js';
import { useLoaded } from './session-context.js';
import { FundForm, SubscribeForm } from './subscribe-form.js';
import { naira, saleProduct, saleState } from './text.js';
import { TriggerTable } from './triggers.js';
import { Badge, Card, Copy, SaleLink, Secret } from './widgets.js';

interface StartProps {
  /** The client of the filter. */
  readonly client: string | undefined;
  readonly initiallyOpen: boolean;
  /** The newest sale: the list is out of sight while the panel is open. */
  readonly latest: Sale | undefined;
}

/** Where one begins: what to connect a program with, and forms for everything that the service does. */
export function StartPanel({ client, initiallyOpen, latest }: StartProps) {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <details class="start" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Try it</h2>
        <span class="soft">Keys, purchases, failures, webhooks</span>
      </summary>
      {open && <Latest sale={latest} />}
      {open && (
        <div class="cards">
          <Connect client={client} />
          <Card title="Buy">
            <BuyForm client={client} />
          </Card>
          <Card title="Make it fail">
            <p class="soft">These recipients do the same for every product, from your program too.</p>
            <TriggerTable client={client} />
          </Card>
          <div class="stack">
            <Card title="Receive webhooks">
              <SubscribeForm client={client} />
            </Card>
            <Card title="Fund a wallet">
              <FundForm client={client} />
            </Card>
          </div>
        </div>
      )}
    </details>
  );
}

/** One line, so that nothing below it moves when a sale arrives. */
function Latest({ sale }: { readonly sale: Sale | undefined }) {
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
    </p>
  );
}

/** What a program needs: the address, the keys, the `.env` block, a first purchase. */
function Connect({ client }: Pick<StartProps, 'client'>) {
  const { info, clients } = useLoaded();
  const account =
    clients.find(({ client_id }) => client_id === (client || info.default_client_id)) ?? clients[0];
  if (!account) return null;
  const credentials = {
    clientId: account.client_id,
    secretKey: account.secret_key,
    publicKey: account.public_key,
  };
  const hidden = { ...credentials, secretKey: `sk_${covered}` };
  return (
    <Card title="Connect your program">
      <dl class="keys">
        <div>
          <dt>Base address</dt>
          <dd>
            <span class="secret">
              <code>{info.base_url}</code>
              <Copy text={info.base_url} label="Copy base address" />
            </span>
          </dd>
        </div>
        <div>
          <dt>Client</dt>
          <dd>
            <span class="secret">
              <code>{account.client_id}</code>
              <Copy text={account.client_id} label="Copy client id" />
            </span>
          </dd>
        </div>
        <div>
          <dt>Secret key</dt>
          <dd>
            <Secret name="secret key" value={account.secret_key} />
          </dd>
        </div>
        <div>
          <dt>Public key</dt>
          <dd>
            <Secret name="public key" value={account.public_key} />
          </dd>
        </div>
      </dl>
      <Snippet
        title=".env"
        shown={envBlock(info.base_url, hidden)}
        copied={envBlock(info.base_url, credentials)}
      />
      <Snippet
        title="A first purchase"
        shown={firstPurchaseCurl(info.base_url, hidden)}
        copied={firstPurchaseCurl(info.base_url, credentials)}
      />
    </Card>
  );
}

/** Text to paste: the key in it is covered on the page, and whole in the clipboard. */
function Snippet({
  title,
  shown,
  copied,
}: {
  readonly title: string;
  readonly shown: string;
  readonly copied: string;
}) {
  return (
    <section class="code">
      <header>
        <h4>{title}</h4>
        <Copy text={copied} label={`Copy: ${title}`} />
      </header>
      <Pre title={title}>{shown}</Pre>
    </section>
  );
}

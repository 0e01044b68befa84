import { useEffect, useRef } from 'preact/hooks';
import { envBlock, firstPurchaseCurl } from '../../words/paste.js';
import { covered } from '../../words/tokens.js';
import { BuyForm } from './buy-form.js';
import { Pre } from './code.js';
import { useLoaded } from './context.js';
import { FundForm, SubscribeForm } from './subscribe-form.js';
import { TriggerTable } from './triggers.js';
import { Card, Copy, Secret } from './widgets.js';

interface StartProps {
  /** The client of the filter. */
  readonly client: string | undefined;
}

/** Where one begins: what to connect a program with, and forms for everything that the service does. */
export function StartCards({ client }: StartProps) {
  return (
    <div class="cards">
      <Connect client={client} />
      <Card title="Buy">
        <BuyForm client={client} />
      </Card>
      <Card title="Make it fail">
        <p class="soft">These recipients do the same for every product, from your program too.</p>
        <TriggerTable client={client} />
      </Card>
      <Card title="Receive webhooks">
        <SubscribeForm client={client} />
      </Card>
      <Card title="Fund a wallet">
        <FundForm client={client} />
      </Card>
    </div>
  );
}

/** The same over any tab. */
export function TryDialog({ client, onClose }: StartProps & { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="try" ref={dialog} aria-labelledby="try-title" onClose={onClose}>
      <header class="line">
        <h2 id="try-title">Try it</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </header>
      <StartCards client={client} />
    </dialog>
  );
}

/** What a program needs: the address, the keys, the `.env` block, a first purchase. */
function Connect({ client }: Pick<StartProps, 'client'>) {
  const { info, clients } = useLoaded();
  const chosen =
    clients.find(({ client_id }) => client_id === (client || info.default_client_id)) ?? clients[0];
  if (!chosen) return null;
  const credentials = {
    clientId: chosen.client_id,
    secretKey: chosen.secret_key,
    publicKey: chosen.public_key,
  };
  const hidden = { ...credentials, secretKey: `sk_${covered}` };
  return (
    <Card title="Connect your program">
      <dl class="keys">
        {[
          ['Base address', <Copied key="address" text={info.base_url} label="Copy base address" />],
          ['Client', <Copied key="client" text={chosen.client_id} label="Copy client id" />],
          ['Secret key', <Secret key="secret" name="secret key" value={chosen.secret_key} />],
          ['Public key', <Secret key="public" name="public key" value={chosen.public_key} />],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
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

function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span class="secret">
      <code>{text}</code>
      <Copy text={text} label={label} />
    </span>
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

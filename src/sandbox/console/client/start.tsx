import { envBlock, firstPurchaseCurl } from '../../words/paste.js';
import { covered } from '../../words/tokens.js';
import { Pre } from './code.js';
import { useLoaded } from './context.js';
import { credentialsOf } from './request-detail.js';
import { BuyForm, type ClientProps, FundForm, SubscribeForm, TriggerTable } from './service-forms.js';
import { Card, Facts, Secret } from './widgets.js';

/** Where one begins: what to connect a program with, and forms for everything that the service does. */
export function StartCards({ client }: ClientProps) {
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

/** What a program needs: the address, the keys, the `.env` block, a first purchase. */
function Connect({ client }: ClientProps) {
  const { info, clients } = useLoaded();
  const wanted = client || info.default_client_id;
  const credentials = credentialsOf(clients.find(({ client_id }) => client_id === wanted) ?? clients[0]);
  if (!credentials) return null;
  const { clientId, secretKey, publicKey } = credentials;
  const snippets = [
    ['.env', envBlock],
    ['A first purchase', firstPurchaseCurl],
  ] as const;
  return (
    <Card title="Connect your program">
      <Facts
        kind="keys"
        facts={{
          'Base address': <Secret name="base address" value={info.base_url} isPublic />,
          Client: <Secret name="client id" value={clientId} isPublic />,
          'Secret key': <Secret name="secret key" value={secretKey} />,
          'Public key': <Secret name="public key" value={publicKey} />,
        }}
      />
      {snippets.map(([title, textFor]) => (
        <Pre
          key={title}
          title={title}
          shown={textFor(info.base_url, { ...credentials, secretKey: `sk_${covered}` })}
          copied={textFor(info.base_url, credentials)}
        />
      ))}
    </Card>
  );
}

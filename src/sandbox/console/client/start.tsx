import { useState } from 'preact/hooks';
import { billers, meterTypes, type Product, products } from '../../../contract/vocabulary.js';
import { envBlock, firstPurchaseCurl } from '../../words/paste.js';
import { covered } from '../../words/tokens.js';
import { productNames } from '../../words/words.js';
import { Pre } from './code.js';
import { api, chosenClient, session, useLoaded } from './context.js';
import { amountField, countField, type Field, Form, type Values } from './forms.js';
import { credentialsOf, RequestResult } from './request-detail.js';
import type { RequestDetail, Trigger } from './resources.js';
import { naira } from './text.js';
import { Action, Card, Facts, Secret } from './widgets.js';

/** Where one begins: what to connect a program with, and forms for everything that the service does. */
export function StartCards() {
  return (
    <div class="cards">
      <Connect />
      <Card title="Buy">
        <BuyForm />
      </Card>
      <Card title="Make it fail">
        <p class="soft">These recipients do the same for every product, from your program too.</p>
        <TriggerTable />
      </Card>
      <Card title="Receive webhooks">
        <SubscribeForm />
      </Card>
      <Card title="Fund a wallet">
        <FundForm />
      </Card>
    </div>
  );
}

/** What a program needs: the address, the keys, the `.env` block, a first purchase. */
function Connect() {
  const { info, clients } = useLoaded();
  const wanted = chosenClient() || info.default_client_id;
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

/** Which client a form is for. */
function useClientField(): Field {
  const { clients, info } = useLoaded();
  const options = clients.map(({ client_id }) => client_id);
  return { name: 'client_id', label: 'Client', options, value: chosenClient() || info.default_client_id };
}

const phone = ['Phone number', '08031234567'] as const;

/** What the recipient of a product is called, with one that works. Those that are no phone can be validated. */
const recipients: Readonly<Record<Product, readonly [label: string, example: string]>> = {
  airtime: phone,
  data: phone,
  tv: ['Smartcard number', '02110144711'],
  electricity: ['Meter number', '0124000952992'],
  edu: ['Profile id or phone number', '08031234567'],
};

/** What only one product has. */
const ownFields: Partial<Readonly<Record<Product, Field>>> = {
  electricity: { name: 'meter_type', label: 'Meter', options: meterTypes },
  edu: { ...countField, name: 'quantity', label: 'Quantity' },
};

/** Which fields a validate call takes. */
const validated = ['biller', 'recipient', 'meter_type'];

/** What the service is sent: it wants numbers in some fields, and a validate call takes few of them. */
const paramsOf = (values: Values, call: string) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => call === 'purchase' || validated.includes(name))
      .map(([name, value]) => [name, name === 'amount' || name === 'quantity' ? Number(value) : value]),
  );

/** Buys any product as a client of the service would. */
export function BuyForm() {
  const { catalogue } = useLoaded();
  const [chosenProduct, setProduct] = useState('airtime');
  const [biller, setBiller] = useState('');
  const [result, setResult] = useState<RequestDetail>();
  const product = products.find((one) => one === chosenProduct) ?? 'airtime';
  const recipient = recipients[product];
  // Products that are not in the catalogue have no price: an amount is entered.
  const listed = new Map(Object.entries(catalogue)).get(product);
  const known = listed ? Object.keys(listed) : billers[product];
  const chosen = known.find((one) => one === biller) ?? known[0] ?? '';
  const plans = listed?.[chosen]?.map(
    ({ product_code, name, amount }) => [product_code, `${name}: ${naira(amount)}`] as const,
  );
  const chooseProduct = (name: string) => {
    setProduct(name);
    setResult(undefined);
  };
  const fields: readonly (Field | undefined)[] = [
    { name: 'product', label: 'Product', options: Object.entries(productNames), onChoose: chooseProduct },
    useClientField(),
    { name: 'biller', label: 'Biller', options: known, value: chosen, onChoose: setBiller },
    ownFields[product],
    plans
      ? { name: 'product_code', label: 'Product code', options: plans }
      : { ...amountField, value: '500' },
    { name: 'recipient', label: recipient[0], value: recipient[1], required: true },
    { name: 'idempotency_key', label: 'Idempotency key', hint: 'Empty: a new one' },
  ];
  const title = product === 'tv' ? 'TV' : productNames[product].toLowerCase();
  return (
    <>
      <Form
        name={`Buy: ${productNames[product]}`}
        submit={`Buy ${title}`}
        fields={fields.filter((one) => one !== undefined)}
        onSubmit={async ({ product: _, client_id, call = 'purchase', ...values }) => {
          const body = { operation: `${product}.${call}`, client_id, params: paramsOf(values, call) };
          setResult(await api.post<RequestDetail>('/requests', body));
        }}
        more={
          recipient !== phone && (
            <button type="submit" name="call" value="validate">
              Validate
            </button>
          )
        }
      />
      {result && <RequestResult key={result.id} request={result} onSent={setResult} />}
    </>
  );
}

/** The recipients that make something happen, with one click each. What a click did is said in its row. */
export function TriggerTable() {
  return (
    <ul class="rows">
      {useLoaded().triggers.map((trigger) => (
        <TriggerRow key={trigger.recipient} trigger={trigger} />
      ))}
    </ul>
  );
}

function TriggerRow({ trigger }: { readonly trigger: Trigger }) {
  const [result, setResult] = useState<RequestDetail>();
  const { recipient, effect, description } = trigger;
  // A purchase, or a validate call where that is what the recipient is for.
  const [verb, operation, params] =
    effect === 'validation cannot confirm'
      ? ['Validate', 'tv.validate', { biller: 'DSTV', recipient }]
      : ['Buy', 'airtime.purchase', { biller: 'MTN', recipient, amount: 100 }];
  const run = async () =>
    setResult(await api.post<RequestDetail>('/requests', { operation, params, client_id: chosenClient() }));
  return (
    <li>
      <span>
        <b>{effect}</b> <code>{recipient}</code>
        <small>{description}</small>
      </span>
      <Action label={`${verb} for ${recipient}: ${effect}`} run={run} text={verb} />
      {result && <RequestResult key={result.id} request={result} onSent={setResult} />}
    </li>
  );
}

export function SubscribeForm() {
  const [made, setMade] = useState<{ readonly url: string; readonly secret: string }>();
  return (
    <>
      <Form
        name="Subscribe to webhooks"
        submit="Subscribe"
        fields={[
          useClientField(),
          {
            name: 'url',
            label: 'URL of the receiver',
            type: 'url',
            wide: true,
            required: true,
            placeholder: 'http://127.0.0.1:3000/webhooks',
          },
        ]}
        onSubmit={async ({ client_id = '', ...body }) =>
          setMade(await api.post(`/clients/${encodeURIComponent(client_id)}/subscribe`, body))
        }
      />
      {made && (
        <p class="result good" role="status">
          <span>
            Subscribed <code>{made.url}</code>. Verify its webhooks with this secret:
          </span>
          <Secret name="webhook secret" value={made.secret} />
        </p>
      )}
    </>
  );
}

export function FundForm() {
  return (
    <Form
      name="Fund a wallet"
      submit="Fund"
      fields={[useClientField(), { ...amountField, value: '10000' }]}
      onSubmit={async ({ client_id = '', amount }) => {
        await api.post(`/wallets/${encodeURIComponent(client_id)}/fund`, { amount: Number(amount) });
        session.notify(`Funded ${client_id} with ${naira(Number(amount))}.`);
      }}
    />
  );
}

import { useState } from 'preact/hooks';
import { billers, meterTypes, type Product, products } from '../../../contract/vocabulary.js';
import { triggers } from '../../lab/triggers.js';
import type { SandboxCatalogue } from '../../service/catalogue.js';
import type { Subscribed } from '../../types.js';
import { envBlock, firstPurchaseCurl, productNames } from '../../words.js';
import { serviceCall } from './api.js';
import { Result, type Sent, send } from './call-result.js';
import { Code } from './code.js';
import { api, session, useClient, useResource, useSummary } from './context.js';
import { amountField, countField, type Field, Form, type Values } from './forms.js';
import { naira } from './text.js';
import { Action, Card, Facts, Value } from './widgets.js';

/** Where one begins: what to connect a program with, and forms for everything that the service does. */
export function StartCards() {
  return (
    <div class="cards">
      <Card title="Buy">
        <BuyForm />
      </Card>
      <Connect />
      <Card title="Make it fail">
        <p class="soft">These recipients do the same for every product, from your program too.</p>
        <ul class="rows">
          {triggers.map((trigger) => (
            <TriggerRow key={trigger.recipient} trigger={trigger} />
          ))}
        </ul>
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
  const { baseUrl } = useSummary();
  const client = useClient();
  return (
    <Card title="Connect your program">
      <Facts
        facts={{
          'Base address': <Value name="base address" value={baseUrl} />,
          Client: <Value name="client id" value={client.clientId} />,
          'Secret key': <Value name="secret key" value={client.secretKey} />,
          'Public key': <Value name="public key" value={client.publicKey} />,
        }}
      />
      <Code title=".env" value={envBlock(baseUrl, client)} />
      <Code title="A first purchase" value={firstPurchaseCurl(baseUrl, client)} />
    </Card>
  );
}

/** Which client a form is for; there is nothing to choose where there is one. */
function useClientField(): Field | undefined {
  const { clients } = useSummary();
  const { clientId } = useClient();
  if (clients.length === 1) return undefined;
  return { name: 'clientId', label: 'Client', options: clients.map((one) => one.clientId), value: clientId };
}

/** The client that a form was for. */
function useClientOf(): (clientId: string | undefined) => ReturnType<typeof useClient> {
  const { clients } = useSummary();
  const chosen = useClient();
  return (clientId) => clients.find((one) => one.clientId === clientId) ?? chosen;
}

const given = (fields: readonly (Field | undefined)[]): readonly Field[] =>
  fields.filter((field) => field !== undefined);

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
function BuyForm() {
  const { value: catalogue } = useResource<SandboxCatalogue>('/catalogue');
  const [chosenProduct, setProduct] = useState('airtime');
  const [biller, setBiller] = useState('');
  const [sent, setSent] = useState<Sent>();
  const clientField = useClientField();
  const clientOf = useClientOf();
  const product = products.find((one) => one === chosenProduct) ?? 'airtime';
  const recipient = recipients[product];
  // Products that are not in the catalogue have no price: an amount is entered.
  const listed = new Map(Object.entries(catalogue ?? {})).get(product);
  const known = listed ? Object.keys(listed) : billers[product];
  const chosen = known.find((one) => one === biller) ?? known[0] ?? '';
  const plans = listed?.[chosen]?.map(
    ({ product_code, name, amount }) => [product_code, `${name}: ${naira(amount)}`] as const,
  );
  const chooseProduct = (name: string) => {
    setProduct(name);
    setSent(undefined);
  };
  const fields = given([
    { name: 'product', label: 'Product', options: Object.entries(productNames), onChoose: chooseProduct },
    clientField,
    { name: 'biller', label: 'Biller', options: known, value: chosen, onChoose: setBiller },
    ownFields[product],
    plans
      ? { name: 'product_code', label: 'Product code', options: plans }
      : { ...amountField, value: '500' },
    { name: 'recipient', label: recipient[0], value: recipient[1], required: true },
    { name: 'idempotency_key', label: 'Idempotency key', hint: 'Empty: a new one' },
  ]);
  const title = product === 'tv' ? 'TV' : productNames[product].toLowerCase();
  return (
    <Form
      name={`Buy: ${productNames[product]}`}
      submit={`Buy ${title}`}
      fields={fields}
      onSubmit={async ({ product: _, clientId, call = 'purchase', ...values }) => {
        const client = clientOf(clientId);
        const params = paramsOf(values, call);
        const what = call === 'validate' ? call : 'purchase';
        setSent(await send(serviceCall(product, what, client.clientId, params), client.secretKey));
      }}
      more={
        recipient !== phone && (
          <button type="submit" name="call" value="validate">
            Validate
          </button>
        )
      }
      result={sent && <Result sent={sent} onSent={setSent} />}
    />
  );
}

/** A recipient that makes something happen, with one click. What the click did is said in its row. */
function TriggerRow({ trigger }: { readonly trigger: (typeof triggers)[number] }) {
  const [sent, setSent] = useState<Sent>();
  const client = useClient();
  const { recipient, effect, description } = trigger;
  // A purchase, or a validate call where that is what the recipient is for.
  const isValidate = effect === 'validation cannot confirm';
  const verb = isValidate ? 'Validate' : 'Buy';
  const call = () =>
    isValidate
      ? serviceCall('tv', 'validate', client.clientId, { biller: 'DSTV', recipient })
      : serviceCall('airtime', 'purchase', client.clientId, { biller: 'MTN', recipient, amount: 100 });
  return (
    <li>
      <span>
        <b>{effect}</b> <code>{recipient}</code>
        <small>{description}</small>
      </span>
      {sent ? (
        <Result sent={sent} onSent={setSent} />
      ) : (
        <Action
          label={`${verb} for ${recipient}: ${effect}`}
          run={async () => setSent(await send(call(), client.secretKey))}
          text={verb}
        />
      )}
    </li>
  );
}

export function SubscribeForm() {
  const [made, setMade] = useState<Subscribed>();
  const clientField = useClientField();
  const clientOf = useClientOf();
  return (
    <>
      <Form
        name="Subscribe to webhooks"
        submit="Subscribe"
        fields={given([
          clientField,
          {
            name: 'url',
            label: 'URL of the receiver',
            type: 'url',
            wide: true,
            required: true,
            placeholder: 'http://127.0.0.1:3000/webhooks',
          },
        ])}
        onSubmit={async ({ clientId, ...body }) =>
          setMade(
            await api.post<Subscribed>(
              `/clients/${encodeURIComponent(clientOf(clientId).clientId)}/subscribe`,
              body,
            ),
          )
        }
      />
      {made && (
        <p class="result good" role="status">
          <span>
            Subscribed <code>{made.url}</code>. Verify its webhooks with this secret:
          </span>
          <Value name="webhook secret" value={made.secret} />
        </p>
      )}
    </>
  );
}

export function FundForm() {
  const clientField = useClientField();
  const clientOf = useClientOf();
  return (
    <Form
      name="Fund a wallet"
      submit="Fund"
      fields={given([clientField, { ...amountField, value: '10000' }])}
      onSubmit={async (values) => {
        const { clientId } = clientOf(values['clientId']);
        const amount = Number(values['amount']);
        await api.post(`/wallets/${encodeURIComponent(clientId)}/fund`, { amount });
        session.notify(`Funded ${clientId} with ${naira(amount)}.`);
      }}
    />
  );
}

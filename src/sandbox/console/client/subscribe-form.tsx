import { useState } from 'preact/hooks';
import { useLoaded, useSession } from './context.js';
import { ChoiceField, Field, Form } from './forms.js';
import { naira } from './text.js';
import { Secret } from './widgets.js';

interface Subscribed {
  readonly url: string;
  readonly secret: string;
}

interface ClientFieldProps {
  /** The client of the filter, which comes first. */
  readonly client: string | undefined;
}

/** Which client a form is for. */
export function ClientField({ client }: ClientFieldProps) {
  const { clients, info } = useLoaded();
  return (
    <ChoiceField
      label="Client"
      name="client_id"
      options={clients.map(({ client_id }) => client_id)}
      chosen={client || info.default_client_id}
    />
  );
}

export function SubscribeForm({ client }: ClientFieldProps) {
  const session = useSession();
  const [made, setMade] = useState<Subscribed>();
  return (
    <>
      <Form
        name="Subscribe to webhooks"
        submit="Subscribe"
        onSubmit={async ({ client_id = '', ...body }) => {
          setMade(
            await session.api.post<Subscribed>(`/clients/${encodeURIComponent(client_id)}/subscribe`, body),
          );
        }}
      >
        <ClientField client={client} />
        <Field label="URL of the receiver" wide>
          <input name="url" type="url" required placeholder="http://127.0.0.1:3000/webhooks" />
        </Field>
      </Form>
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

export function FundForm({ client }: ClientFieldProps) {
  const session = useSession();
  return (
    <Form
      name="Fund a wallet"
      submit="Fund"
      onSubmit={async ({ client_id = '', amount }) => {
        await session.api.post(`/wallets/${encodeURIComponent(client_id)}/fund`, { amount: Number(amount) });
        session.notify(`Funded ${client_id} with ${naira(Number(amount))}.`);
      }}
    >
      <ClientField client={client} />
      <Field label="Amount, NGN">
        <input name="amount" type="number" min="0.01" step="0.01" required defaultValue="10000" />
      </Field>
    </Form>
  );
}

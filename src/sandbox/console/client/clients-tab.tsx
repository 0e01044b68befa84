import { linkTo, useLoaded, useSession } from './context.js';
import { Field, Form } from './forms.js';
import type { Params } from './location.js';
import type { Client } from './resources.js';
import { SubscribeForm } from './subscribe-form.js';
import { naira } from './text.js';
import { Action, Badge, Card, Facts, Secret } from './widgets.js';

export function ClientsTab({ params }: { readonly params: Params }) {
  const { clients } = useLoaded();
  const shown = clients.filter(({ client_id }) => !params['client'] || client_id === params['client']);
  return (
    <>
      <div class="cards">
        {shown.map((client) => (
          <ClientCard key={client.client_id} client={client} />
        ))}
      </div>
      <Card title="Subscribe to webhooks">
        <SubscribeForm client={params['client']} />
      </Card>
    </>
  );
}

function ClientCard({ client }: { readonly client: Client }) {
  const session = useSession();
  const { client_id, verified, suspended, allowed_ips, subscription } = client;
  const path = `/clients/${encodeURIComponent(client_id)}`;
  const update = (conditions: object) => session.api.send('PATCH', path, conditions);
  const rotate = async () => {
    await session.api.post(`${path}/rotate-key`);
    session.notify(`${client_id} has a new secret key. The old one stopped working.`);
  };
  const revoke = (kind: 'secret' | 'public') => async () => {
    await session.api.post(`${path}/revoke-key`, { kind });
    session.notify(`The ${kind} key of ${client_id} stopped working.`);
  };
  const subscribed =
    subscription && (subscription.enabled ? subscription.url : `${subscription.url} (disabled)`);
  return (
    <Card
      title={client_id}
      actions={
        <span class="badges">
          <Badge
            {...(verified ? { text: 'verified', tone: 'good' } : { text: 'not verified', tone: 'bad' })}
          />
          {suspended && <Badge text="suspended" tone="bad" />}
          {allowed_ips.length > 0 && <Badge text="allow-list" tone="wait" />}
        </span>
      }
    >
      <Facts
        facts={[
          [
            'Balance',
            <a key="balance" href={linkTo('wallet', { client: client_id })}>
              {naira(client.balance)}
            </a>,
          ],
          [
            'Secret key',
            <Secret key="secret" name={`secret key of ${client_id}`} value={client.secret_key} />,
          ],
          [
            'Public key',
            <Secret key="public" name={`public key of ${client_id}`} value={client.public_key} />,
          ],
          ['Webhooks', subscribed ?? 'not subscribed'],
          [
            'Transactions',
            <a key="transactions" href={linkTo('transactions', { client: client_id })}>
              of this client
            </a>,
          ],
        ]}
      />
      <div class="buttons">
        <Action
          run={() => update({ verified: !verified })}
          label={`${verified ? 'Restrict' : 'Verify'} ${client_id}`}
        >
          {verified ? 'Restrict' : 'Verify'}
        </Action>
        <Action
          run={() => update({ suspended: !suspended })}
          label={`${suspended ? 'Resume' : 'Suspend'} ${client_id}`}
        >
          {suspended ? 'Resume' : 'Suspend'}
        </Action>
        <Action run={rotate} label={`Rotate key of ${client_id}`}>
          Rotate key
        </Action>
        <Action kind="danger" run={revoke('secret')} label={`Revoke secret key of ${client_id}`}>
          Revoke secret key
        </Action>
        <Action kind="danger" run={revoke('public')} label={`Revoke public key of ${client_id}`}>
          Revoke public key
        </Action>
      </div>
      <Form
        key={allowed_ips.join()}
        name={`Allow-list of ${client_id}`}
        submit="Save"
        onSubmit={async ({ ips = '' }) => {
          await update({ allowed_ips: ips.split(/[\s,]+/).filter(Boolean) });
          session.notify(`The allow-list of ${client_id} was saved.`);
        }}
      >
        <Field label="Allowed IP addresses" hint="Separated by commas; empty: any" wide>
          <input name="ips" defaultValue={allowed_ips.join(', ')} />
        </Field>
      </Form>
    </Card>
  );
}

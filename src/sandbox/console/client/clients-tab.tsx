import { api, linkTo, session, useClients } from './context.js';
import { Form } from './forms.js';
import type { Client } from './resources.js';
import { SubscribeForm } from './start.js';
import { naira } from './text.js';
import { Action, Badge, Card, Facts, Secret } from './widgets.js';

export function ClientsTab() {
  return (
    <>
      <div class="cards">
        {useClients().map((client) => (
          <ClientCard key={client.client_id} client={client} />
        ))}
      </div>
      <Card title="Subscribe to webhooks">
        <SubscribeForm />
      </Card>
    </>
  );
}

function ClientCard({ client }: { readonly client: Client }) {
  const { client_id, verified, suspended, allowed_ips, subscription } = client;
  const path = `/clients/${encodeURIComponent(client_id)}`;
  const update = (conditions: object) => api.send('PATCH', path, conditions);
  const rotate = async () => {
    await api.post(`${path}/rotate-key`);
    session.notify(`${client_id} has a new secret key. The old one stopped working.`);
  };
  const revoke = (kind: 'secret' | 'public') => async () => {
    await api.post(`${path}/revoke-key`, { kind });
    session.notify(`The ${kind} key of ${client_id} stopped working.`);
  };
  const actions = [
    [verified ? 'Restrict' : 'Verify', client_id, () => update({ verified: !verified })],
    [suspended ? 'Resume' : 'Suspend', client_id, () => update({ suspended: !suspended })],
    ['Rotate key', `of ${client_id}`, rotate],
    ['Revoke secret key', `of ${client_id}`, revoke('secret'), 'danger'],
    ['Revoke public key', `of ${client_id}`, revoke('public'), 'danger'],
  ] as const;
  const receiver =
    subscription && (subscription.enabled ? subscription.url : `${subscription.url} (disabled)`);
  return (
    <Card
      title={client_id}
      badges={
        <>
          <Badge text={verified ? 'verified' : 'not verified'} tone={verified ? 'good' : 'bad'} />
          {suspended && <Badge text="suspended" tone="bad" />}
          {allowed_ips.length > 0 && <Badge text="allow-list" tone="wait" />}
        </>
      }
    >
      <Facts
        facts={{
          Balance: <a href={linkTo('wallet', { client: client_id })}>{naira(client.balance)}</a>,
          'Secret key': <Secret name={`secret key of ${client_id}`} value={client.secret_key} />,
          'Public key': <Secret name={`public key of ${client_id}`} value={client.public_key} />,
          Webhooks: receiver ?? 'not subscribed',
          Transactions: <a href={linkTo('transactions', { client: client_id })}>of this client</a>,
        }}
      />
      <div class="bar">
        {actions.map(([text, of, run, kind]) => (
          <Action key={text} label={`${text} ${of}`} run={run} kind={kind} text={text} />
        ))}
      </div>
      <Form
        key={allowed_ips.join()}
        name={`Allow-list of ${client_id}`}
        submit="Save"
        fields={[
          {
            name: 'ips',
            label: 'Allowed IP addresses',
            hint: 'Separated by commas; empty: any',
            wide: true,
            value: allowed_ips.join(', '),
          },
        ]}
        onSubmit={async ({ ips = '' }) => {
          await update({ allowed_ips: ips.split(/[\s,]+/).filter(Boolean) });
          session.notify(`The allow-list of ${client_id} was saved.`);
        }}
      />
    </Card>
  );
}

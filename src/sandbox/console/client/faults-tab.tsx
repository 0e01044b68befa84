import { faultSentence } from '../../words/faults.js';
import { presets, repetitions, targets } from '../presets.js';
import { ClockCard, ResetCard } from './clock.js';
import { useLoaded, useSession } from './context.js';
import { ChoiceField, Field, Form } from './forms.js';
import type { Params } from './location.js';
import type { Fault } from './resources.js';
import { Action, Card } from './widgets.js';

export function FaultsTab({ params }: { readonly params: Params }) {
  return (
    <div class="cards">
      <FaultsCard client={params['client']} />
      <ClockCard />
      <WebhookFaults />
      <ResetCard />
    </div>
  );
}

export function TurnOff({ fault }: { readonly fault: Fault }) {
  const session = useSession();
  return (
    <Action
      label={`Turn off: ${faultSentence(fault)}`}
      run={() => session.api.send('DELETE', `/faults/${fault.id}`)}
    >
      Turn off
    </Action>
  );
}

function FaultsCard({ client }: { readonly client: string | undefined }) {
  const session = useSession();
  const { faults, clients } = useLoaded();
  const add = async ({ preset, target, times, ...only }: Readonly<Record<string, string>>) => {
    const { fault } = presets.find(({ name }) => name === preset) ?? {};
    const { operation } = targets.find(({ name }) => name === target) ?? {};
    const body = { ...fault, ...only, operation, times: times === 'always' ? times : Number(times) };
    await session.api.post('/faults', body);
  };
  return (
    <Card title="Faults">
      <Form name="Turn on a fault" submit="Turn on" onSubmit={add}>
        <ChoiceField
          label="What goes wrong"
          name="preset"
          wide
          options={presets.map(({ name, label }) => [name, label])}
        />
        <ChoiceField label="Calls" name="target" options={targets.map(({ name, label }) => [name, label])} />
        <ChoiceField
          label="How often"
          name="times"
          options={repetitions.map(({ times, label }) => [String(times), label])}
        />
        <ChoiceField
          label="Client"
          name="clientId"
          options={[['', 'Any client'], ...clients.map(({ client_id }) => client_id)]}
          chosen={client}
        />
        <Field label="Recipient" hint="Empty: any">
          <input name="recipient" />
        </Field>
      </Form>
      <h4>Active faults</h4>
      {faults.length === 0 ? (
        <p class="soft">None: everything works.</p>
      ) : (
        <ul class="faults">
          {faults.map((fault) => (
            <li key={fault.id}>
              <span class="sentence">{faultSentence(fault)}</span>
              <TurnOff fault={fault} />
            </li>
          ))}
        </ul>
      )}
      <p class="soft">
        Any other fault: <code>POST /_sandbox/faults</code>.
      </p>
    </Card>
  );
}

const corruptions = [
  ['bad-signature', 'Signature that does not match'],
  ['old-timestamp', 'Timestamp of three days ago'],
  ['duplicate', 'Sent twice'],
  ['reordered', 'Sent after the one that follows'],
] as const;

/** Corrupts the webhooks that are sent next. */
function WebhookFaults() {
  const session = useSession();
  const corrupt = async ({ how, times }: Readonly<Record<string, string>>) => {
    await session.api.post('/deliveries/corrupt', { how, times: Number(times) });
    session.notify(
      times === '1' ? 'The next delivery is corrupted.' : `The next ${times} deliveries are corrupted.`,
    );
  };
  return (
    <Card title="Corrupt next delivery">
      <Form name="Corrupt next delivery" submit="Corrupt" onSubmit={corrupt}>
        <ChoiceField label="What is wrong" name="how" options={corruptions} />
        <Field label="Next deliveries">
          <input name="times" type="number" min="1" step="1" required defaultValue="1" />
        </Field>
      </Form>
    </Card>
  );
}

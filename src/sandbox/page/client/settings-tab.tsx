import { presets, repetitions, targets } from '../presets.js';
import { api, chosenClient, session, useClient, useSummary } from './context.js';
import { type Fault, faultSentence } from './fault-text.js';
import { Form, type Values } from './forms.js';
import { longTime } from './text.js';
import { Action, Badge, Card, closeDialog, Dialog, Facts, Value } from './widgets.js';

/** Faults, the clock, the client's conditions, and a new beginning. */
export function SettingsTab() {
  return (
    <div class="cards">
      <FaultsCard />
      <ClockCard />
      <ClientCard />
      <ResetCard />
    </div>
  );
}

export function TurnOff({ fault }: { readonly fault: Fault }) {
  return (
    <Action
      label={`Turn off: ${faultSentence(fault)}`}
      run={() => api.send('DELETE', `/faults/${fault.id}`)}
      text="Turn off"
    />
  );
}

function FaultsCard() {
  const { faults, clients } = useSummary();
  const add = ({ preset = '', target = '', often = '', ...only }: Values) =>
    api.post('/faults', {
      ...presets[preset],
      ...only,
      operation: targets[target],
      times: repetitions[often],
    });
  const known = clients.map(({ clientId }) => clientId);
  return (
    <Card title="Faults">
      <Form
        name="Turn on a fault"
        submit="Turn on"
        onSubmit={add}
        fields={[
          { name: 'preset', label: 'What goes wrong', wide: true, options: Object.keys(presets) },
          { name: 'target', label: 'Calls', options: Object.keys(targets) },
          { name: 'often', label: 'How often', options: Object.keys(repetitions) },
          ...(known.length > 1
            ? [
                {
                  name: 'clientId',
                  label: 'Client',
                  options: [['', 'Any client'] as const, ...known],
                  value: chosenClient(),
                },
              ]
            : []),
          { name: 'recipient', label: 'Recipient', hint: 'Empty: any' },
        ]}
      />
      <h4>Active faults</h4>
      {faults.length === 0 && <p class="soft">None: everything works.</p>}
      <ul class="rows">
        {faults.map((fault) => (
          <li key={fault.id}>
            <span>{faultSentence(fault)}</span>
            <TurnOff fault={fault} />
          </li>
        ))}
      </ul>
      <p class="soft">
        Any other fault: <code>POST /_sandbox/faults</code>.
      </p>
    </Card>
  );
}

/** Moves a manual clock: `next`, `run`, or `advance` with the time. */
export const advanceClock = (how: string, body?: object) => api.post(`/clock/${how}`, body);

const steps = ['1m', '15m', '1h', '6h', '24h'] as const;

/** The clock, with buttons that move a manual one. */
function ClockCard() {
  const { kind, now, nextEvent } = useSummary().clock;
  return (
    <Card title="Clock">
      <Facts
        facts={{
          Now: kind === 'real' ? 'real time' : longTime(now),
          'Next event': nextEvent === undefined ? 'none is scheduled' : longTime(nextEvent),
        }}
      />
      {kind === 'real' ? (
        <p class="soft">
          The clock runs by itself. Start the sandbox with <code>--clock manual</code> to move it from here.
        </p>
      ) : (
        <ManualClock />
      )}
    </Card>
  );
}

function ManualClock() {
  return (
    <>
      <div class="bar">
        {steps.map((by) => (
          <Action
            key={by}
            label={`+ ${by}: advance the clock`}
            run={() => advanceClock('advance', { by })}
            text={`+ ${by}`}
          />
        ))}
      </div>
      <div class="bar">
        <Action run={() => advanceClock('next')} text="Advance to the next event" />
        <Action run={() => advanceClock('run')} text="Run until idle" />
      </div>
      <Form
        name="Advance the clock"
        submit="Advance"
        fields={[
          { name: 'by', label: 'Advance by', hint: 'Such as 90s, 5m, 6h', required: true, value: '5m' },
        ]}
        onSubmit={({ by }) => advanceClock('advance', { by })}
      />
    </>
  );
}

/** The keys of the client and what the service's console would change of it. */
function ClientCard() {
  const { clientId, secretKey, publicKey, verified, suspended } = useClient();
  const path = `/clients/${encodeURIComponent(clientId)}`;
  const rotate = async () => {
    await api.post(`${path}/rotate-key`);
    session.notify(`${clientId} has a new secret key. The old one stopped working.`);
  };
  return (
    <Card
      title={clientId}
      badges={
        <>
          {!verified && <Badge text="not verified" tone="bad" />}
          {suspended && <Badge text="suspended" tone="bad" />}
        </>
      }
    >
      <Facts
        facts={{
          'Secret key': <Value name={`secret key of ${clientId}`} value={secretKey} />,
          'Public key': <Value name={`public key of ${clientId}`} value={publicKey} />,
        }}
      />
      <div class="bar">
        <Action
          label={`${verified ? 'Restrict' : 'Verify'} ${clientId}`}
          run={() => api.send('PATCH', path, { verified: !verified })}
          text={verified ? 'Restrict' : 'Verify'}
        />
        <Action
          label={`${suspended ? 'Resume' : 'Suspend'} ${clientId}`}
          run={() => api.send('PATCH', path, { suspended: !suspended })}
          text={suspended ? 'Resume' : 'Suspend'}
        />
        <Action label={`Rotate key of ${clientId}`} run={rotate} text="Rotate key" />
      </div>
    </Card>
  );
}

/** Sets everything back, after a question. */
function ResetCard() {
  const reset = async () => {
    await api.post('/reset');
    closeDialog();
    session.notify('Everything was set back to the beginning.');
  };
  return (
    <Card title="Start again">
      <p class="soft">
        Sets wallets, transactions, requests, keys, subscriptions and faults back to the beginning.
      </p>
      <Dialog opener="Reset the sandbox" kind="danger" title="Reset the sandbox?">
        <p>
          All transactions, requests and webhook deliveries are lost. Everyone who uses this sandbox is
          affected.
        </p>
        <div class="bar">
          <Action kind="danger" run={reset} text="Reset" />
          <Action run={closeDialog} text="Cancel" />
        </div>
      </Dialog>
    </Card>
  );
}

import { faultSentence } from '../../words/faults.js';
import { inTime } from '../../words/webhooks.js';
import { presets, repetitions, targets } from '../presets.js';
import { api, chosenClient, session, useLoaded } from './context.js';
import { countField, Form, type Values } from './forms.js';
import type { Fault, Summary } from './resources.js';
import { longTime } from './text.js';
import { Action, Card, closeDialog, Dialog, Facts, TransactionLink } from './widgets.js';

export function FaultsTab() {
  const summary = session.summary.value;
  return (
    <div class="cards">
      <FaultsCard />
      {summary && <ClockCard {...summary} />}
      <WebhookFaults />
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
  const { faults, clients } = useLoaded();
  const add = ({ preset = '', target = '', often = '', ...only }: Values) =>
    api.post('/faults', {
      ...presets[preset],
      ...only,
      operation: targets[target],
      times: repetitions[often],
    });
  const known = clients.map(({ client_id }) => client_id);
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
          {
            name: 'clientId',
            label: 'Client',
            options: [['', 'Any client'], ...known],
            value: chosenClient(),
          },
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

const corruptions = [
  ['bad-signature', 'Signature that does not match'],
  ['old-timestamp', 'Timestamp of three days ago'],
  ['duplicate', 'Sent twice'],
  ['reordered', 'Sent after the one that follows'],
] as const;

/** Corrupts the webhooks that are sent next. */
function WebhookFaults() {
  const corrupt = async ({ how, times }: Values) => {
    await api.post('/deliveries/corrupt', { how, times: Number(times) });
    const which = times === '1' ? 'delivery is' : `${times} deliveries are`;
    session.notify(`The next ${which} corrupted.`);
  };
  return (
    <Card title="Corrupt next delivery">
      <Form
        name="Corrupt next delivery"
        submit="Corrupt"
        onSubmit={corrupt}
        fields={[
          { name: 'how', label: 'What is wrong', wide: true, options: corruptions },
          { ...countField, name: 'times', label: 'Next deliveries', required: true },
        ]}
      />
    </Card>
  );
}

const steps = ['1m', '15m', '1h', '6h', '24h'] as const;

/** The clock: buttons that move a manual one; of a real one, the next retry that can be made now. */
function ClockCard({ clock, next_retry: retry }: Summary) {
  const isReal = clock.kind === 'real';
  const next = clock.next_event_at;
  return (
    <Card title="Clock">
      <Facts
        facts={{
          Now: isReal ? 'real time' : longTime(clock.now),
          'Next event': next === null ? 'none is scheduled' : longTime(next),
        }}
      />
      {isReal ? <RealClock retry={retry} /> : <ManualClock />}
    </Card>
  );
}

function RealClock({ retry }: { readonly retry: Summary['next_retry'] }) {
  return (
    <>
      {retry ? (
        <>
          <p>
            The next webhook retry, of <TransactionLink reference={retry.reference} />, is due{' '}
            {inTime(Date.parse(retry.at) - session.now.value)}.
          </p>
          <div class="bar">
            <Action
              run={() => api.post(`/deliveries/${retry.delivery_id}/retry`)}
              text="Run the next retry now"
            />
          </div>
        </>
      ) : (
        <p class="soft">No webhook waits for a retry.</p>
      )}
      <p class="soft">
        The clock runs by itself. Start the sandbox with <code>--clock manual</code> to move it from here.
      </p>
    </>
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
            run={() => session.moveClock('advance', { by })}
            text={`+ ${by}`}
          />
        ))}
      </div>
      <div class="bar">
        <Action run={() => session.moveClock('next')} text="Advance to the next event" />
        <Action run={() => session.moveClock('run')} text="Run until idle" />
      </div>
      <Form
        name="Advance the clock"
        submit="Advance"
        fields={[
          { name: 'by', label: 'Advance by', hint: 'Such as 90s, 5m, 6h', required: true, value: '5m' },
        ]}
        onSubmit={({ by }) => session.moveClock('advance', { by })}
      />
    </>
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

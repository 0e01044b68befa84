import { useRef } from 'preact/hooks';
import { inTime } from '../../words/webhooks.js';
import { useSession } from './context.js';
import { Field, Form } from './forms.js';
import type { Clock } from './resources.js';
import { longTime } from './text.js';
import { Action, Card, Facts, TransactionLink } from './widgets.js';

const steps = ['1m', '15m', '1h', '6h', '24h'] as const;

/** The clock, and the buttons that move a manual one. */
export function ClockCard() {
  const session = useSession();
  const summary = session.summary.value;
  if (!summary) return null;
  const { clock, next_retry: retry } = summary;
  const move =
    (path: string, body: object = {}) =>
    async () =>
      session.clockMoved(await session.api.post<Clock>(`/clock/${path}`, body));
  const next = clock.next_event_at;
  return (
    <Card title="Clock">
      <Facts
        facts={[
          ['Now', clock.kind === 'manual' ? longTime(clock.now) : 'real time'],
          ['Next event', next === null ? 'none is scheduled' : longTime(next)],
        ]}
      />
      {clock.kind === 'real' ? (
        <>
          {retry ? (
            <>
              <p>
                The next webhook retry, of <TransactionLink reference={retry.reference} />, is due{' '}
                {inTime(Date.parse(retry.at) - session.now.value)}.
              </p>
              <div class="buttons">
                <Action run={() => session.api.post(`/deliveries/${retry.delivery_id}/retry`)}>
                  Run the next retry now
                </Action>
              </div>
            </>
          ) : (
            <p class="soft">No webhook waits for a retry.</p>
          )}
          <p class="soft">
            The clock runs by itself. Start the sandbox with <code>--clock manual</code> to move it from here.
          </p>
        </>
      ) : (
        <>
          <div class="buttons">
            {steps.map((by) => (
              <Action key={by} label={`+ ${by}: advance the clock`} run={move('advance', { by })}>
                + {by}
              </Action>
            ))}
          </div>
          <div class="buttons">
            <Action run={move('next')}>Advance to the next event</Action>
            <Action run={move('run')}>Run until idle</Action>
          </div>
          <Form name="Advance the clock" submit="Advance" onSubmit={({ by }) => move('advance', { by })()}>
            <Field label="By" hint="Such as 90s, 5m, 6h">
              <input name="by" required defaultValue="5m" />
            </Field>
          </Form>
        </>
      )}
    </Card>
  );
}

/** Sets everything back, after a question. */
export function ResetCard() {
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const reset = async () => {
    await session.api.post('/reset');
    dialog.current?.close();
    session.notify('Everything was set back to the beginning.');
  };
  return (
    <Card title="Start again">
      <p class="soft">
        Sets wallets, transactions, requests, keys, subscriptions and faults back to the beginning.
      </p>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset the sandbox
      </button>
      <dialog ref={dialog} aria-labelledby="reset-title">
        <h3 id="reset-title">Reset the sandbox?</h3>
        <p>
          All transactions, requests and webhook deliveries are lost. Everyone who uses this sandbox is
          affected.
        </p>
        <div class="buttons">
          <Action kind="danger" run={reset}>
            Reset
          </Action>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </Card>
  );
}

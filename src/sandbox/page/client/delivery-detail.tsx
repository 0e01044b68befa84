import type { SandboxDelivery, SandboxDeliveryAttempt } from '../../records/delivery.js';
import { Code, headerText } from './code.js';
import { api, session } from './context.js';
import { type Delivery, deliveryAdvice, deliveryState } from './delivery-text.js';
import { drawerOf, Timeline } from './drawer.js';
import { attemptEnd, attemptTitle, plural } from './text.js';
import { Action, Badge, Facts, TransactionLink } from './widgets.js';

/** Sends a delivery again, or makes its scheduled retry now, and says what the receiver responded. */
const send = (id: string, how: 'redeliver' | 'retry', corrupt?: string) => async () => {
  const attempt = await api.post<SandboxDeliveryAttempt>(`/deliveries/${id}/${how}`, { corrupt });
  const text = attempt.delivered ? 'the receiver accepted it' : 'the receiver did not accept it';
  session.notify(`Sent again: ${text}, ${attemptEnd(attempt)}.`, attempt.delivered ? 'good' : 'bad');
};

/** Makes the scheduled retry now, or sends what is not scheduled once more. */
export function DeliveryAction({ delivery: { id, event, nextAttemptAt } }: { readonly delivery: Delivery }) {
  return nextAttemptAt === undefined ? (
    <Action kind="quiet" label={`Redeliver ${event}`} run={send(id, 'redeliver')} text="Redeliver" />
  ) : (
    <Action kind="quiet" label={`Retry now: ${event}`} run={send(id, 'retry')} text="Retry now" />
  );
}

/** Sends everything again that its receiver did not accept. */
export function RetryAllFailing() {
  if (session.summary.value?.counts.deliveries.failing === 0) return null;
  const run = async () => {
    const { sent, delivered } = await api.post<{ sent: number; delivered: number }>('/deliveries/retry');
    const text = `Sent ${plural(sent, 'webhook')} again: the receiver accepted ${delivered}.`;
    session.notify(text, delivered === sent ? 'good' : 'bad');
  };
  return <Action run={run} text="Retry all failing" />;
}

/** Of a delivery that failed: what to do, and what the receiver replied. */
export function DeliveryProblem({ delivery }: { readonly delivery: Delivery }) {
  const last = delivery.attempts.at(-1);
  if (last?.delivered !== false) return null;
  const advice = deliveryAdvice(delivery);
  return (
    <>
      {advice !== undefined && <p class="advice">{advice}</p>}
      {last.reply !== undefined && <Code title="The receiver replied" value={last.reply} />}
    </>
  );
}

export const DeliveryDrawer = drawerOf<SandboxDelivery>({
  path: '/deliveries',
  title: (detail) => detail?.event ?? 'Webhook',
  summary: (detail) => <Badge {...deliveryState(detail, session.now.value)} />,
  Panel: DeliveryPanel,
});

function DeliveryPanel({ detail }: { readonly detail: Delivery }) {
  const { id, attempts, nextAttemptAt } = detail;
  const last = attempts.at(-1);
  return (
    <>
      <DeliveryProblem delivery={detail} />
      <p class="bar">
        <Action run={send(id, 'redeliver')} text="Redeliver" />
        {nextAttemptAt !== undefined && <Action run={send(id, 'retry')} text="Retry now" />}
        <Action run={send(id, 'redeliver', 'bad-signature')} text="Send with a bad signature" />
        <Action run={send(id, 'redeliver', 'old-timestamp')} text="Send with an old timestamp" />
      </p>
      <Facts
        facts={{
          Transaction: <TransactionLink reference={detail.reference} />,
          To: last?.url,
          Delivery: <code>{id}</code>,
          Client: detail.clientId,
        }}
      />
      <Timeline
        title="Attempts"
        steps={attempts.map((attempt) => ({
          at: attempt.at,
          tone: attempt.delivered ? 'good' : 'bad',
          text: (
            <>
              {attemptTitle(attempt, attempts)}: {attemptEnd(attempt)} after {attempt.durationMs} ms
              {attempt.reply !== undefined && <small class="reply">{attempt.reply}</small>}
            </>
          ),
        }))}
        due={{ 'Next retry': nextAttemptAt }}
      />
      <Code title="Body, the same at every attempt" value={detail.body} />
      {last && <Code title="Headers of the last attempt" value={headerText(last.headers)} />}
    </>
  );
}

import { deliveryAdvice } from '../../words/webhooks.js';
import { Code, headerText } from './code.js';
import { api, session } from './context.js';
import { drawerOf, Timeline } from './drawer.js';
import type { Attempt, Delivery, DeliveryDetail } from './resources.js';
import { attemptEnd, attemptTitle, deliveryState } from './text.js';
import { Action, Badge, Facts, TransactionLink } from './widgets.js';

/** Sends a delivery again, or makes its scheduled retry now, and says what the receiver responded. */
const send = (id: string, how: 'redeliver' | 'retry', corrupt?: string) => async () => {
  const attempt = await api.post<Attempt>(`/deliveries/${id}/${how}`, { corrupt });
  const text = attempt.delivered ? 'the receiver accepted it' : 'the receiver did not accept it';
  session.notify(`Sent again: ${text}, ${attemptEnd(attempt)}.`, attempt.delivered ? 'good' : 'bad');
};

type Sent = Pick<Delivery, 'id' | 'event' | 'next_attempt_at'>;

/** Makes the scheduled retry now, or sends what is not scheduled once more. */
export function DeliveryAction({ delivery: { id, event, next_attempt_at } }: { readonly delivery: Sent }) {
  return next_attempt_at === null ? (
    <Action kind="quiet" label={`Redeliver ${event}`} run={send(id, 'redeliver')} text="Redeliver" />
  ) : (
    <Action kind="quiet" label={`Retry now: ${event}`} run={send(id, 'retry')} text="Retry now" />
  );
}

type Failing = Pick<Delivery, 'last_status' | 'last_error' | 'last_reply' | 'last_url' | 'last_delivered'>;

/** Of a delivery that failed: what to do, and what the receiver replied. */
export function DeliveryProblem({ delivery }: { readonly delivery: Failing }) {
  if (delivery.last_delivered !== false) return null;
  const advice = deliveryAdvice(delivery);
  return (
    <>
      {advice !== undefined && <p class="advice">{advice}</p>}
      {delivery.last_reply !== null && <Code title="The receiver replied" value={delivery.last_reply} />}
    </>
  );
}

export const DeliveryDrawer = drawerOf<DeliveryDetail>({
  path: '/deliveries',
  isAffected: (event, id) => event.type === 'delivery' && event.delivery.id === id,
  title: (detail) => detail?.event ?? 'Webhook',
  summary: (detail) => <Badge {...deliveryState(detail, session.now.value)} />,
  Panel: DeliveryPanel,
});

function DeliveryPanel({ detail }: { readonly detail: DeliveryDetail }) {
  const { id, attempts, next_attempt_at } = detail;
  const last = attempts.at(-1);
  return (
    <>
      <DeliveryProblem delivery={detail} />
      <p class="bar">
        <Action run={send(id, 'redeliver')} text="Redeliver" />
        {next_attempt_at !== null && <Action run={send(id, 'retry')} text="Retry now" />}
        <Action run={send(id, 'redeliver', 'bad-signature')} text="Send with a bad signature" />
        <Action run={send(id, 'redeliver', 'old-timestamp')} text="Send with an old timestamp" />
      </p>
      <Facts
        facts={{
          Transaction: <TransactionLink reference={detail.reference} />,
          To: last?.url,
          Delivery: <code>{id}</code>,
          Client: detail.client_id,
        }}
      />
      <Timeline
        title="Attempts"
        steps={attempts.map((attempt) => ({
          at: attempt.at,
          tone: attempt.delivered ? 'good' : 'bad',
          text: (
            <>
              {attemptTitle(attempt, attempts)}: {attemptEnd(attempt)} after {attempt.duration_ms} ms
              {attempt.reply !== null && <small class="reply">{attempt.reply}</small>}
            </>
          ),
        }))}
        due={{ 'Next retry': next_attempt_at }}
      />
      <Code title="Body, the same at every attempt" value={detail.body} />
      {last && <Code title="Headers of the last attempt" value={headerText(last.headers)} />}
    </>
  );
}

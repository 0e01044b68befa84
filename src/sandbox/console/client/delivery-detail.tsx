import { deliveryAdvice } from '../../words/webhooks.js';
import { Code } from './code.js';
import { useResource, useSession } from './context.js';
import { Drawer } from './drawer.js';
import type { Attempt, Delivery, DeliveryDetail, SandboxEvent } from './resources.js';
import { attemptEnd, attemptTitle, deliveryState } from './text.js';
import { Action, Badge, Facts, Time, TransactionLink } from './widgets.js';

const corruptions = [
  ['bad-signature', 'Send with a bad signature'],
  ['old-timestamp', 'Send with an old timestamp'],
] as const;

/** Sends a delivery again, or makes its scheduled retry now, and says what the receiver responded. */
function useSend(delivery: Pick<Delivery, 'id'>) {
  const session = useSession();
  return async (how: 'redeliver' | 'retry', body: object = {}) => {
    const attempt = await session.api.post<Attempt>(`/deliveries/${delivery.id}/${how}`, body);
    const text = attempt.delivered ? 'the receiver accepted it' : 'the receiver did not accept it';
    session.notify(`Sent again: ${text}, ${attemptEnd(attempt)}.`, attempt.delivered ? 'good' : 'bad');
  };
}

type Sent = Pick<Delivery, 'id' | 'event' | 'next_attempt_at'>;

/** Makes the scheduled retry now, or sends what is not scheduled once more. */
export function DeliveryActions({ delivery }: { readonly delivery: Sent }) {
  const send = useSend(delivery);
  return delivery.next_attempt_at === null ? (
    <Action kind="quiet" label={`Redeliver ${delivery.event}`} run={() => send('redeliver')}>
      Redeliver
    </Action>
  ) : (
    <Action kind="quiet" label={`Retry now: ${delivery.event}`} run={() => send('retry')}>
      Retry now
    </Action>
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

interface DeliveryDrawerProps {
  readonly id: string;
}

export function DeliveryDrawer({ id }: DeliveryDrawerProps) {
  const isAffected = (event: SandboxEvent) => event.type === 'delivery' && event.delivery.id === id;
  const detail = useResource<DeliveryDetail>(`/deliveries/${encodeURIComponent(id)}`, isAffected);
  const now = useSession().now.value;
  return (
    <Drawer title={detail?.event ?? 'Webhook'} summary={detail && <Badge {...deliveryState(detail, now)} />}>
      {detail ? <DeliveryPanel detail={detail} /> : <p class="soft">Loading…</p>}
    </Drawer>
  );
}

function DeliveryPanel({ detail }: { readonly detail: DeliveryDetail }) {
  const send = useSend(detail);
  const last = detail.attempts.at(-1);
  return (
    <>
      <DeliveryProblem delivery={detail} />
      <p class="buttons">
        <Action run={() => send('redeliver')}>Redeliver</Action>
        {detail.next_attempt_at !== null && <Action run={() => send('retry')}>Retry now</Action>}
        {corruptions.map(([corrupt, label]) => (
          <Action key={corrupt} run={() => send('redeliver', { corrupt })}>
            {label}
          </Action>
        ))}
      </p>
      <Facts
        facts={[
          ['Transaction', <TransactionLink key="transaction" reference={detail.reference} />],
          ['To', last?.url],
          ['Delivery', <code key="id">{detail.id}</code>],
          ['Client', detail.client_id],
        ]}
      />
      <section>
        <h3>Attempts</h3>
        <ol class="life">
          {detail.attempts.map((attempt) => (
            <li key={attempt.number} class={attempt.delivered ? 'good' : 'bad'}>
              <Time at={attempt.at} />
              <span>
                {attemptTitle(attempt, detail.attempts)}: {attemptEnd(attempt)} after {attempt.duration_ms} ms
                {attempt.reply !== null && <small class="reply">{attempt.reply}</small>}
              </span>
            </li>
          ))}
          {detail.next_attempt_at !== null && (
            <li class="wait">
              <Time at={detail.next_attempt_at} />
              <span>Next retry</span>
            </li>
          )}
        </ol>
      </section>
      <Code title="Body, the same at every attempt" value={detail.body} />
      {last && (
        <Code
          title="Headers of the last attempt"
          value={Object.entries(last.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        />
      )}
    </>
  );
}

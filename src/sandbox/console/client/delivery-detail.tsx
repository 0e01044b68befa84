import { Code } from './code.js';
import type { Attempt, Delivery, DeliveryDetail, SandboxEvent } from './resources.js';
import { useResource, useSession } from './session-context.js';
import { attemptEnd, deliveryState } from './text.js';
import { Action, Badge, Facts, SaleLink, Time } from './widgets.js';

const corruptions = [
  ['bad-signature', 'Send with a bad signature'],
  ['old-timestamp', 'Send with an old timestamp'],
] as const;

/** Sends a delivery again and says what the receiver responded. */
function useRedeliver(delivery: Pick<Delivery, 'id'>) {
  const session = useSession();
  return async (corrupt?: string) => {
    const attempt = await session.api.post<Attempt>(
      `/deliveries/${delivery.id}/redeliver`,
      corrupt === undefined ? {} : { corrupt },
    );
    const text = attempt.delivered ? 'the receiver accepted it' : 'the receiver did not accept it';
    session.notify(`Sent again: ${text}, ${attemptEnd(attempt)}.`, attempt.delivered ? 'good' : 'bad');
  };
}

export function Redeliver({ delivery }: { readonly delivery: Omit<Delivery, 'attempts'> }) {
  const redeliver = useRedeliver(delivery);
  return (
    <Action
      kind="quiet"
      label={`Redeliver ${delivery.event} of ${delivery.reference}`}
      run={() => redeliver()}
    >
      Redeliver
    </Action>
  );
}

export const attemptTitle = ({ number, reason, corruption }: Attempt): string =>
  [`Attempt ${number}`, reason !== 'first' && reason, corruption?.replace('-', ' ')]
    .filter(Boolean)
    .join(', ');

export function DeliveryPanel({ delivery }: { readonly delivery: Delivery }) {
  const redeliver = useRedeliver(delivery);
  const isAffected = (event: SandboxEvent) => event.type === 'delivery' && event.delivery.id === delivery.id;
  const detail = useResource<DeliveryDetail>(`/deliveries/${delivery.id}`, isAffected);
  if (!detail) return <p class="soft">Loading…</p>;
  const last = detail.attempts.at(-1);
  return (
    <div class="panel">
      <Facts
        facts={[
          ['Delivery', <code key="id">{detail.id}</code>],
          ['Sale', <SaleLink key="sale" reference={detail.reference} />],
          ['State', <Badge key="state" {...deliveryState(detail)} />],
          ['To', last?.url],
        ]}
      />
      <div class="buttons">
        {corruptions.map(([corrupt, label]) => (
          <Action key={corrupt} run={() => redeliver(corrupt)}>
            {label}
          </Action>
        ))}
      </div>
      <ol class="life">
        {detail.attempts.map((attempt) => (
          <li key={attempt.number} class={attempt.delivered ? 'good' : 'bad'}>
            <Time at={attempt.at} />
            <span>
              {attemptTitle(attempt)}: {attemptEnd(attempt)} after {attempt.duration_ms} ms
            </span>
          </li>
        ))}
        {detail.next_attempt_at !== null && (
          <li class="wait">
            <Time at={detail.next_attempt_at} />
            <span>next attempt</span>
          </li>
        )}
      </ol>
      <div class="columns">
        <Code title="Body, the same at every attempt" value={detail.body} />
        {last && (
          <Code
            title="Headers of the last attempt"
            value={Object.entries(last.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
        )}
      </div>
    </div>
  );
}

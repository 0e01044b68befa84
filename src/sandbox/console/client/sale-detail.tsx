import { useState } from 'preact/hooks';
import { covered } from '../../words/tokens.js';
import { money } from '../../words/words.js';
import { attemptTitle, Redeliver } from './delivery-detail.js';
import { RequestActions, RequestNotes } from './request-detail.js';
import type { Sale, SaleDetail, SandboxEvent } from './resources.js';
import { lifeOf, type SaleStep } from './sale-life.js';
import { useResource, useSession } from './session-context.js';
import { attemptEnd, deliveryState, naira, requestOutcome, saleProduct, type Tone } from './text.js';
import { Action, Badge, Facts, Time } from './widgets.js';

export function SettleActions({ sale }: { readonly sale: Sale }) {
  const session = useSession();
  if (sale.state !== 'pending') return null;
  const settle = (outcome: 'success' | 'failed') => () =>
    session.api.post(`/transactions/${sale.reference}/settle`, { outcome });
  return (
    <>
      <Action label={`Succeed ${sale.reference}`} run={settle('success')}>
        Succeed
      </Action>
      <Action label={`Fail ${sale.reference}`} run={settle('failed')}>
        Fail
      </Action>
    </>
  );
}

/** Whether an event is about a sale: then its details are read again. */
function isAbout({ reference, idempotency_key, client_id }: Sale, event: SandboxEvent): boolean {
  switch (event.type) {
    case 'transaction':
      return event.transaction.reference === reference;
    case 'wallet':
      return event.entry.reference === reference;
    case 'event':
    case 'delivery':
      return event.delivery.reference === reference;
    case 'request': {
      const { request } = event;
      const isSameKey = request.idempotency_key === idempotency_key && request.client_id === client_id;
      return request.reference === reference || isSameKey;
    }
    default:
      return false;
  }
}

export function SalePanel({ sale }: { readonly sale: Sale }) {
  const detail = useResource<SaleDetail>(`/transactions/${sale.reference}`, (event) => isAbout(sale, event));
  if (!detail) return <p class="soft">Loading…</p>;
  return (
    <div class="panel">
      <Facts
        facts={[
          ['Product', saleProduct(detail)],
          ['Code', detail.product_code],
          ['Meter', detail.meter_type],
          ['Quantity', detail.quantity === 1 ? undefined : detail.quantity],
          ['Recipient', detail.recipient],
          ['Charged', naira(detail.amount)],
          ['Commission', `NGN ${money(detail.commission)}`],
          ['Client', detail.client_id],
          ['idempotency_key', <code key="key">{detail.idempotency_key}</code>],
          ['Token', detail.token === null ? undefined : <Token key="token" token={detail.token} />],
        ]}
      />
      <h3>Life of this sale</h3>
      <ol class="life">
        {lifeOf(detail).map((step, at) => (
          <Step key={at} step={step} />
        ))}
        {detail.delivery?.next_attempt_at && (
          <li class="wait">
            <Time at={detail.delivery.next_attempt_at} />
            <span>next attempt of the webhook</span>
          </li>
        )}
        {detail.settles_at !== null && (
          <li class="wait">
            <Time at={detail.settles_at} />
            <span>settles by itself</span>
          </li>
        )}
      </ol>
      <WebhookLine detail={detail} />
    </div>
  );
}

function WebhookLine({ detail: { delivery, state } }: { readonly detail: SaleDetail }) {
  if (delivery) {
    return (
      <p class="line">
        Webhook: <Badge {...deliveryState(delivery)} /> <Redeliver delivery={delivery} />
      </p>
    );
  }
  if (state === 'pending') return null;
  return <p class="soft">No webhook was sent: the client had no subscription when the sale settled.</p>;
}

/** The tone of a step: what it did to the money, or whether it arrived. */
function toneOf({ kind, text, request, attempt }: SaleStep): Tone {
  if (request) return requestOutcome(request).tone;
  if (attempt) return attempt.delivered ? 'good' : 'bad';
  if (kind === 'settlement') return text.endsWith('success') ? 'good' : 'bad';
  return 'plain';
}

function Step({ step }: { readonly step: SaleStep }) {
  const { at, text, request, attempt } = step;
  return (
    <li class={toneOf(step)}>
      <Time at={at} />
      <span>
        {request ? (
          <>
            {request.operation ?? 'request'} {request.reference === null ? 'refused' : text.split(',')[0]}:{' '}
            {requestOutcome(request).text}
          </>
        ) : attempt ? (
          `${attemptTitle(attempt)} of the webhook: ${attemptEnd(attempt)}`
        ) : (
          text
        )}
        {request && <RequestNotes request={request} />}
      </span>
      {request && (
        <span class="actions">
          <RequestActions request={request} />
        </span>
      )}
    </li>
  );
}

function Token({ token }: { readonly token: string }) {
  const [shown, setShown] = useState(false);
  return (
    <span class="secret">
      <code>{shown ? token.replaceAll('||', '\n') : covered}</code>
      <button type="button" class="quiet" onClick={() => setShown(!shown)}>
        {shown ? 'Hide token' : 'Show token'}
      </button>
    </span>
  );
}

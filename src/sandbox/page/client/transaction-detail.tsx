import type { Json, TransactionDetail } from '../../control/types.js';
import { api, session } from './context.js';
import { DeliveryAction, DeliveryProblem } from './delivery-detail.js';
import { deliveryState } from './delivery-text.js';
import { drawerOf, type Step, Timeline } from './drawer.js';
import { RequestActions, RequestNotes } from './request-detail.js';
import {
  attemptEnd,
  attemptTitle,
  naira,
  productText,
  requestOutcome,
  stateOf,
  type Transaction,
} from './text.js';
import { Action, Badge, Facts, Value } from './widgets.js';

export function SettleActions({
  transaction,
}: {
  readonly transaction: Pick<Transaction, 'reference' | 'status'>;
}) {
  const { reference, status } = transaction;
  if (status !== 'pending') return null;
  const settle = (outcome: string) => () => api.post(`/transactions/${reference}/settle`, { outcome });
  return (
    <>
      <Action label={`Succeed ${reference}`} run={settle('success')} text="Succeed" />
      <Action label={`Fail ${reference}`} run={settle('failed')} text="Fail" />
    </>
  );
}

export const TransactionDrawer = drawerOf<TransactionDetail>({
  path: '/transactions',
  title: (_, id) => id,
  summary: ({ transaction }) => (
    <>
      <Badge {...stateOf(transaction.status)} /> {productText(transaction.product, transaction.biller)}{' '}
      <b>{naira(transaction.amount)}</b>
      <SettleActions transaction={transaction} />
    </>
  ),
  Panel: TransactionPanel,
});

function TransactionPanel({ detail }: { readonly detail: Json<TransactionDetail> }) {
  const { transaction, delivery, commission, timeline } = detail;
  const { token, quantity, status } = transaction;
  return (
    <>
      <Facts
        facts={{
          Recipient: transaction.recipient,
          'Product code': transaction.product_code,
          Meter: transaction.meter_type,
          Quantity: quantity === 1 ? undefined : quantity,
          Token: token && <Value name="token" value={token.replaceAll('||', '\n')} />,
          Commission: naira(commission),
          Client: transaction.clientId,
          'Idempotency key': <code>{transaction.idempotency_key}</code>,
        }}
      />
      <section>
        <h3>Webhook</h3>
        {delivery ? (
          <>
            <p class="bar">
              <Badge {...deliveryState(delivery, session.now.value)} />
              <DeliveryAction delivery={delivery} />
            </p>
            <DeliveryProblem delivery={delivery} />
          </>
        ) : (
          <p class="soft">
            {status === 'pending'
              ? 'It is sent when the transaction settles.'
              : 'No webhook was sent: the client had no subscription when the transaction settled.'}
          </p>
        )}
      </section>
      <Timeline
        title="Timeline"
        steps={timeline.map((entry) => stepOf(entry, detail))}
        due={{ 'Next webhook retry': delivery?.nextAttemptAt, 'Settles by itself': transaction.settlesAt }}
      />
    </>
  );
}

type Entry = Json<TransactionDetail>['timeline'][number];

/** A request and an attempt are shown with what they did; the rest, and what the log has dropped, in the words of the timeline. */
function stepOf(
  { at, kind, text, requestId, attempt: number }: Entry,
  detail: Json<TransactionDetail>,
): Step {
  const request = detail.requests.find(({ id }) => id === requestId);
  if (request) {
    const { tone, text: outcome } = requestOutcome(request);
    return {
      at,
      tone,
      text: (
        <>
          {request.operation ?? 'request'}: {outcome}
          <RequestNotes request={request} />
        </>
      ),
      actions: <RequestActions request={request} />,
    };
  }
  const attempts = detail.delivery?.attempts ?? [];
  const attempt = attempts.find((one) => one.number === number);
  if (kind === 'delivery' && attempt) {
    const title = attemptTitle(attempt, attempts);
    return { at, tone: attempt.delivered ? 'good' : 'bad', text: `${title}: ${attemptEnd(attempt)}` };
  }
  const isGood = detail.transaction.status === 'success';
  const tone = kind !== 'settlement' ? 'plain' : isGood ? 'good' : 'bad';
  return { at, tone, text: text.charAt(0).toUpperCase() + text.slice(1) };
}

import { api, session } from './context.js';
import { DeliveryAction, DeliveryProblem } from './delivery-detail.js';
import { drawerOf, type Step, Timeline } from './drawer.js';
import { RequestActions, RequestNotes } from './request-detail.js';
import type { Transaction, TransactionDetail } from './resources.js';
import {
  attemptEnd,
  attemptTitle,
  naira,
  productText,
  requestOutcome,
  transactionState,
  webhookState,
} from './text.js';
import { lifeOf, type TransactionStep } from './transaction-life.js';
import { Action, Badge, Facts, Secret } from './widgets.js';

export function SettleActions({ transaction }: { readonly transaction: Transaction | TransactionDetail }) {
  const { reference, state } = transaction;
  if (state !== 'pending') return null;
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
  // Whatever happens to a transaction, refused requests under its key included, comes with the transaction or carries its key.
  isAffected: (event, id, detail) => {
    if ('transaction' in event && event.transaction) return event.transaction.reference === id;
    if (event.type === 'wallet') return event.entry.reference === id;
    return event.type === 'request' && event.request.idempotency_key === detail?.idempotency_key;
  },
  title: (_, id) => id,
  summary: (detail) => (
    <>
      <Badge {...transactionState(detail)} /> {productText(detail)} <b>{naira(detail.amount)}</b>
      <SettleActions transaction={detail} />
    </>
  ),
  Panel: TransactionPanel,
});

function TransactionPanel({ detail }: { readonly detail: TransactionDetail }) {
  const { delivery, token, quantity } = detail;
  const steps = lifeOf(detail);
  // A transaction moves the wallet at most twice: the debit comes first.
  const debit = steps.find(({ kind }) => kind === 'wallet');
  return (
    <>
      <Facts
        facts={{
          Recipient: detail.recipient,
          'Product code': detail.product_code,
          Meter: detail.meter_type,
          Quantity: quantity === 1 ? undefined : quantity,
          Token: token && <Secret name="token" value={token.replaceAll('||', '\n')} />,
          Commission: naira(detail.commission),
          Client: detail.client_id,
          'Idempotency key': <code>{detail.idempotency_key}</code>,
        }}
      />
      <section>
        <h3>Webhook</h3>
        <p class="bar">
          <Badge {...webhookState(detail, session.now.value)} />
          {delivery && <DeliveryAction delivery={delivery} />}
        </p>
        {delivery && <DeliveryProblem delivery={delivery} />}
        {!delivery && detail.state !== 'pending' && (
          <p class="soft">
            No webhook was sent: the client had no subscription when the transaction settled.
          </p>
        )}
      </section>
      <Timeline
        title="Timeline"
        steps={steps.map((step) => worded(step, detail, step === debit ? 'Debited' : 'Refunded'))}
        due={{ 'Next webhook retry': delivery?.next_attempt_at, 'Settles by itself': detail.settles_at }}
      />
    </>
  );
}

function worded(
  { at, kind, text, request, attempt }: TransactionStep,
  { amount, state, delivery }: TransactionDetail,
  moved: string,
): Step {
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
  if (attempt) {
    const title = attemptTitle(attempt, delivery?.attempts ?? []);
    return { at, tone: attempt.delivered ? 'good' : 'bad', text: `${title}: ${attemptEnd(attempt)}` };
  }
  if (kind === 'wallet') return { at, tone: 'plain', text: `${moved} ${naira(amount)}` };
  if (kind === 'settlement')
    return { at, tone: state === 'success' ? 'good' : 'bad', text: `Settled as ${state}` };
  return { at, tone: 'plain', text };
}

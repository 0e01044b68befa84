import { api, session, useResource } from './context.js';
import { DeliveryActions, DeliveryProblem } from './delivery-detail.js';
import { Drawer, type Step, Timeline } from './drawer.js';
import type { DetailProps } from './list-tab.js';
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

const outcomes = { success: 'Succeed', failed: 'Fail' };

export function SettleActions({ transaction }: { readonly transaction: Transaction | TransactionDetail }) {
  const { reference, state } = transaction;
  if (state !== 'pending') return null;
  return (
    <>
      {Object.entries(outcomes).map(([outcome, verb]) => (
        <Action
          key={outcome}
          label={`${verb} ${reference}`}
          run={() => api.post(`/transactions/${reference}/settle`, { outcome })}
        >
          {verb}
        </Action>
      ))}
    </>
  );
}

export function TransactionDrawer({ id, known }: DetailProps<Transaction>) {
  const detail = useResource<TransactionDetail>(
    `/transactions/${encodeURIComponent(id)}`,
    // Whatever happens to a transaction, refused requests under its key included, comes with the transaction or carries its key.
    (event, current) => {
      if ('transaction' in event && event.transaction) return event.transaction.reference === id;
      if (event.type === 'wallet') return event.entry.reference === id;
      return event.type === 'request' && event.request.idempotency_key === current?.idempotency_key;
    },
  );
  const transaction = detail ?? known;
  return (
    <Drawer
      title={id}
      summary={
        transaction && (
          <>
            <Badge {...transactionState(transaction)} /> {productText(transaction)}{' '}
            <b>{naira(transaction.amount)}</b>
          </>
        )
      }
    >
      {detail && <TransactionPanel detail={detail} />}
    </Drawer>
  );
}

function TransactionPanel({ detail }: { readonly detail: TransactionDetail }) {
  const { delivery, token } = detail;
  const steps = lifeOf(detail);
  // A transaction moves the wallet at most twice: the debit comes first.
  const debit = steps.find(({ kind }) => kind === 'wallet');
  return (
    <>
      {detail.state === 'pending' && (
        <p class="buttons">
          <SettleActions transaction={detail} />
        </p>
      )}
      <Facts
        facts={[
          ['Recipient', detail.recipient],
          ['Product code', detail.product_code],
          ['Meter', detail.meter_type],
          ['Quantity', detail.quantity === 1 ? undefined : detail.quantity],
          ['Token', token && <Secret key="token" name="token" value={token.replaceAll('||', '\n')} />],
          ['Commission', naira(detail.commission)],
          ['Client', detail.client_id],
          ['idempotency_key', <code key="key">{detail.idempotency_key}</code>],
        ]}
      />
      <section>
        <h3>Webhook</h3>
        <p class="line">
          <Badge {...webhookState(detail, session.now.value)} />
          {delivery && <DeliveryActions delivery={delivery} />}
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
        steps={steps.map((step) => worded(step, detail, step !== debit))}
        due={[
          [delivery?.next_attempt_at, 'Next webhook retry'],
          [detail.settles_at, 'Settles by itself'],
        ]}
      />
    </>
  );
}

function worded(
  { at, kind, text, request, attempt }: TransactionStep,
  { amount, state, delivery }: TransactionDetail,
  isRefund: boolean,
): Step {
  if (request) {
    const outcome = requestOutcome(request);
    const title = `${request.operation ?? 'request'}: ${outcome.text}`;
    return {
      at,
      tone: outcome.tone,
      text: [title, <RequestNotes key="notes" request={request} />],
      actions: <RequestActions request={request} />,
    };
  }
  if (attempt) {
    const title = attemptTitle(attempt, delivery?.attempts ?? []);
    return { at, tone: attempt.delivered ? 'good' : 'bad', text: `${title}: ${attemptEnd(attempt)}` };
  }
  if (kind === 'wallet') {
    return { at, tone: 'plain', text: `${isRefund ? 'Refunded' : 'Debited'} ${naira(amount)}` };
  }
  if (kind === 'settlement') {
    return { at, tone: state === 'success' ? 'good' : 'bad', text: `Settled as ${state}` };
  }
  return { at, tone: 'plain', text };
}

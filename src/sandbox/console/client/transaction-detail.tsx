import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { covered } from '../../words/tokens.js';
import { useResource, useSession } from './context.js';
import { DeliveryActions, DeliveryProblem } from './delivery-detail.js';
import { Drawer } from './drawer.js';
import { RequestActions, RequestNotes } from './request-detail.js';
import type { SandboxEvent, Transaction, TransactionDetail } from './resources.js';
import {
  attemptEnd,
  attemptTitle,
  naira,
  productText,
  requestOutcome,
  type Tone,
  transactionState,
  webhookState,
} from './text.js';
import { lifeOf, type TransactionStep } from './transaction-life.js';
import { Action, Badge, Facts, Time } from './widgets.js';

export function SettleActions({
  transaction,
}: {
  readonly transaction: Pick<Transaction, 'reference' | 'state'>;
}) {
  const session = useSession();
  if (transaction.state !== 'pending') return null;
  const settle = (outcome: 'success' | 'failed') => () =>
    session.api.post(`/transactions/${transaction.reference}/settle`, { outcome });
  return (
    <>
      <Action label={`Succeed ${transaction.reference}`} run={settle('success')}>
        Succeed
      </Action>
      <Action label={`Fail ${transaction.reference}`} run={settle('failed')}>
        Fail
      </Action>
    </>
  );
}

interface TransactionDrawerProps {
  readonly reference: string;
  /** The transaction as the list has it, until its details are loaded. */
  readonly known: Transaction | undefined;
}

export function TransactionDrawer({ reference, known }: TransactionDrawerProps) {
  // Whatever happens to a transaction, refused requests under its key included, comes with the transaction or carries its key.
  const isAbout = (event: SandboxEvent): boolean => {
    if ('transaction' in event && event.transaction) return event.transaction.reference === reference;
    if (event.type === 'wallet') return event.entry.reference === reference;
    return event.type === 'request' && event.request.idempotency_key === known?.idempotency_key;
  };
  const detail = useResource<TransactionDetail>(`/transactions/${encodeURIComponent(reference)}`, isAbout);
  const transaction = detail ?? known;
  return (
    <Drawer
      title={reference}
      summary={
        transaction && (
          <>
            <Badge {...transactionState(transaction)} /> {productText(transaction)}{' '}
            <b>{naira(transaction.amount)}</b>
          </>
        )
      }
    >
      {detail ? <TransactionPanel detail={detail} /> : <p class="soft">Loading…</p>}
    </Drawer>
  );
}

function TransactionPanel({ detail }: { readonly detail: TransactionDetail }) {
  const session = useSession();
  const { delivery } = detail;
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
          ['Token', detail.token === null ? undefined : <Token key="token" token={detail.token} />],
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
      <section>
        <h3>Timeline</h3>
        <Timeline detail={detail} />
      </section>
    </>
  );
}

function Timeline({ detail }: { readonly detail: TransactionDetail }) {
  const steps = lifeOf(detail);
  return (
    <ol class="life">
      {steps.map((step, at) => (
        <Step key={at} step={step} detail={detail} isRefund={isSecondMovement(steps, at)} />
      ))}
      {detail.delivery?.next_attempt_at && (
        <li class="wait">
          <Time at={detail.delivery.next_attempt_at} />
          <span>Next webhook retry</span>
        </li>
      )}
      {detail.settles_at !== null && (
        <li class="wait">
          <Time at={detail.settles_at} />
          <span>Settles by itself</span>
        </li>
      )}
    </ol>
  );
}

/** A transaction moves the wallet at most twice: the debit comes first. */
const isSecondMovement = (steps: readonly TransactionStep[], at: number): boolean =>
  steps.slice(0, at).some(({ kind }) => kind === 'wallet');

interface StepProps {
  readonly step: TransactionStep;
  readonly detail: TransactionDetail;
  readonly isRefund: boolean;
}

function Step({ step, detail, isRefund }: StepProps) {
  const { at, request } = step;
  const [tone, words] = stepWords(step, detail, isRefund);
  return (
    <li class={tone}>
      <Time at={at} />
      <span>
        {words}
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

/** What a step did, and its tone: what it did to the money, or whether it arrived. */
function stepWords(
  { kind, text, request, attempt }: TransactionStep,
  { amount, state, delivery }: TransactionDetail,
  isRefund: boolean,
): readonly [Tone, ComponentChildren] {
  if (request) {
    const outcome = requestOutcome(request);
    return [outcome.tone, `${request.operation ?? 'request'}: ${outcome.text}`];
  }
  if (attempt) {
    const what = attemptTitle(attempt, delivery?.attempts ?? []);
    return [attempt.delivered ? 'good' : 'bad', `${what}: ${attemptEnd(attempt)}`];
  }
  if (kind === 'wallet') return ['plain', `${isRefund ? 'Refunded' : 'Debited'} ${naira(amount)}`];
  if (kind === 'settlement') return [state === 'success' ? 'good' : 'bad', `Settled as ${state}`];
  return ['plain', text];
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

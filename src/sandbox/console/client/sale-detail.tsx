import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { covered } from '../../words/tokens.js';
import { useResource, useSession } from './context.js';
import { DeliveryActions, DeliveryProblem } from './delivery-detail.js';
import { Drawer } from './drawer.js';
import { RequestActions, RequestNotes } from './request-detail.js';
import type { Sale, SaleDetail, SandboxEvent } from './resources.js';
import { lifeOf, type SaleStep } from './sale-life.js';
import {
  attemptEnd,
  attemptTitle,
  naira,
  requestOutcome,
  saleProduct,
  saleState,
  type Tone,
  webhookState,
} from './text.js';
import { Action, Badge, Facts, Time } from './widgets.js';

export function SettleActions({ sale }: { readonly sale: Pick<Sale, 'reference' | 'state'> }) {
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

interface SaleDrawerProps {
  readonly reference: string;
  /** The sale as the list has it, until its details are loaded. */
  readonly known: Sale | undefined;
}

export function SaleDrawer({ reference, known }: SaleDrawerProps) {
  // Whatever happens to a sale, refused requests under its key included, comes with the sale or carries its key.
  const isAbout = (event: SandboxEvent): boolean => {
    if ('transaction' in event && event.transaction) return event.transaction.reference === reference;
    if (event.type === 'wallet') return event.entry.reference === reference;
    return event.type === 'request' && event.request.idempotency_key === known?.idempotency_key;
  };
  const detail = useResource<SaleDetail>(`/transactions/${encodeURIComponent(reference)}`, isAbout);
  const sale = detail ?? known;
  return (
    <Drawer
      title={reference}
      summary={
        sale && (
          <>
            <Badge {...saleState(sale)} /> {saleProduct(sale)} <b>{naira(sale.amount)}</b>
          </>
        )
      }
    >
      {detail ? <SalePanel detail={detail} /> : <p class="soft">Loading…</p>}
    </Drawer>
  );
}

function SalePanel({ detail }: { readonly detail: SaleDetail }) {
  const session = useSession();
  const { delivery } = detail;
  return (
    <>
      {detail.state === 'pending' && (
        <p class="buttons">
          <SettleActions sale={detail} />
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
          <p class="soft">No webhook was sent: the client had no subscription when the sale settled.</p>
        )}
      </section>
      <section>
        <h3>Timeline</h3>
        <Timeline detail={detail} />
      </section>
    </>
  );
}

function Timeline({ detail }: { readonly detail: SaleDetail }) {
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

/** A sale moves the wallet at most twice: the debit comes first. */
const isSecondMovement = (steps: readonly SaleStep[], at: number): boolean =>
  steps.slice(0, at).some(({ kind }) => kind === 'wallet');

interface StepProps {
  readonly step: SaleStep;
  readonly detail: SaleDetail;
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
  { kind, text, request, attempt }: SaleStep,
  { amount, state, delivery }: SaleDetail,
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

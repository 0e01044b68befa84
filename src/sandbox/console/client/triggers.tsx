import { useState } from 'preact/hooks';
import { useLoaded, useSession } from './context.js';
import { RequestResult } from './request-result.js';
import type { RequestDetail, Trigger } from './resources.js';
import { Action } from './widgets.js';

/** What the button of a trigger sends: a purchase, or a validate call where that is what the recipient is for. */
const callOf = ({ recipient, effect }: Trigger) =>
  effect === 'validation cannot confirm'
    ? { operation: 'tv.validate', params: { biller: 'DSTV', recipient } }
    : { operation: 'airtime.purchase', params: { biller: 'MTN', recipient, amount: 100 } };

/** The recipients that make something happen, with one click each. What a click did is said in its row. */
export function TriggerTable({ client }: { readonly client: string | undefined }) {
  const { triggers } = useLoaded();
  return (
    <ul class="triggers">
      {triggers.map((trigger) => (
        <TriggerRow key={trigger.recipient} trigger={trigger} client={client} />
      ))}
    </ul>
  );
}

function TriggerRow({ trigger, client }: { readonly trigger: Trigger; readonly client: string | undefined }) {
  const session = useSession();
  const [result, setResult] = useState<RequestDetail>();
  const { recipient, effect, description } = trigger;
  const call = callOf(trigger);
  const verb = call.operation === 'tv.validate' ? 'Validate' : 'Buy';
  const run = async () =>
    setResult(
      await session.api.post<RequestDetail>('/requests', { ...call, ...(client && { client_id: client }) }),
    );
  return (
    <li>
      <code>{recipient}</code>
      <span>
        <b>{effect}</b>
        <small>{description}</small>
      </span>
      <Action label={`${verb} for ${recipient}: ${effect}`} run={run}>
        {verb}
      </Action>
      {result && <RequestResult key={result.id} request={result} onSent={setResult} />}
    </li>
  );
}

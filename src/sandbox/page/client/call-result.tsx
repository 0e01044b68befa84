import type { Page } from '../../control/lists.js';
import type { Purchase } from '../../control/types.js';
import type { SandboxRequest } from '../../records/objects.js';
import { callService, markHeader, type ServiceCall, type ServiceResponse } from './api.js';
import { Code } from './code.js';
import { api, useResource } from './context.js';
import { withQuery } from './location.js';
import { requestCurl, requestTypeScript } from './paste.js';
import { callOutcome, fieldOf, naira, stateOf } from './text.js';
import { Action, Badge, TransactionLink } from './widgets.js';

/** A call that was made from the page, with what came of it. */
export interface Sent {
  readonly call: ServiceCall;
  readonly key: string;
  readonly response: ServiceResponse;
}

/** What counts is the first try: a browser repeats a request whose connection closed, and says nothing about it. */
export async function send(call: ServiceCall, key: string): Promise<Sent> {
  const mark = crypto.randomUUID();
  const response = await callService(call, key, mark);
  const q = fieldOf(call.body, 'idempotency_key') ?? fieldOf(call.body, 'recipient');
  const { data } = await api.get<Page<SandboxRequest>>(withQuery('/requests', { q: String(q) }));
  const first = data.filter(({ headers }) => headers[markHeader] === mark).at(-1);
  return { call, key, response: first?.outcome === 'closed' ? {} : response };
}

interface ResultProps {
  readonly sent: Sent;
  /** Shows the result of sending it again, or the button again. */
  readonly onSent: (sent: Sent | undefined) => void;
}

/** What a call from the page did, and what it is in code and in a shell: in place of the button that sent it. */
export function Result({ sent, onSent }: ResultProps) {
  const { call, key, response } = sent;
  const outcome = callOutcome(response);
  const idempotencyKey = fieldOf(call.body, 'idempotency_key');
  const headers = { 'content-type': 'application/json' };
  return (
    <div class={`result ${outcome.tone}`}>
      <p role="status">
        <Badge {...outcome} /> {sentence(response)}
      </p>
      {typeof idempotencyKey === 'string' && <Bought idempotencyKey={idempotencyKey} />}
      <Code title="TypeScript" value={requestTypeScript(call)} />
      <Code title="curl" value={requestCurl(call, headers, location.origin, key)} />
      <p class="bar">
        <Action
          run={async () => onSent(await send(call, key))}
          text={idempotencyKey === undefined ? 'Send again' : 'Send again with the same key'}
        />
        <Action kind="quiet" run={() => onSent(undefined)} text="Done" />
      </p>
    </div>
  );
}

/** The message of the response, else what it says. */
function sentence({ status, body }: ServiceResponse): string {
  if (status === undefined) return 'No response came: only the sandbox knows what was bought.';
  const errors = fieldOf(body, 'errors');
  if (typeof errors === 'object' && errors !== null) {
    return Object.entries(errors)
      .map(([name, text]) => `${name}: ${String(text)}`)
      .join('; ');
  }
  const name = fieldOf(body, 'customer_name');
  if (name !== undefined) return `Confirmed: ${String(name)}.`;
  const message = fieldOf(body, 'message');
  return typeof body === 'string' ? 'The response is not JSON.' : String(message ?? '');
}

/** What was bought under a key, as it is now: it changes while one looks on. */
function Bought({ idempotencyKey }: { readonly idempotencyKey: string }) {
  const path = withQuery('/purchases', { q: idempotencyKey, limit: '10' });
  const { value } = useResource<Page<Purchase>>(path);
  if (!value) return null;
  const bought = value.data.find((one) => 'transaction' in one);
  if (!bought) return <p>Nothing was bought.</p>;
  const { reference, status, amount } = bought.transaction;
  return (
    <p>
      <TransactionLink reference={reference} /> <Badge {...stateOf(status)} /> {naira(amount)}
    </p>
  );
}

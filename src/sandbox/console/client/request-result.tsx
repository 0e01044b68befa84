import { linkTo, useResource, useSession } from './context.js';
import { RequestNotes } from './request-detail.js';
import type { RequestDetail, Transaction } from './resources.js';
import { requestOutcome, transactionState } from './text.js';
import { Action, Badge, TransactionLink } from './widgets.js';

interface ResultProps {
  readonly request: RequestDetail;
  /** Shows the result of sending the request again. */
  readonly onSent: (request: RequestDetail) => void;
}

/** What a request that was sent from the page did, and what became of its transaction. */
export function RequestResult({ request, onSent }: ResultProps) {
  const session = useSession();
  const outcome = requestOutcome(request);
  const again = async () => onSent(await session.api.post<RequestDetail>(`/requests/${request.id}/send`));
  return (
    <div class={`result ${outcome.tone}`} role="status">
      <p>
        <Badge {...outcome} /> {sentence(request)}
      </p>
      {request.reference !== null && <TransactionOfResult reference={request.reference} />}
      <RequestNotes request={request} />
      <p class="buttons">
        <Action run={again}>
          {request.idempotency_key === null ? 'Send again' : 'Send again with the same key'}
        </Action>
        <a href={linkTo('requests', { open: String(request.id) })}>See the request</a>
      </p>
    </div>
  );
}

/** The message of the response, else what the result means for the wallet. */
function sentence({ response, outcome, reference, replayed }: RequestDetail): string {
  if (outcome === 'closed' || response === null) {
    return reference === null
      ? 'Nothing was bought.'
      : 'The wallet was debited, but the caller cannot know it.';
  }
  if (replayed) return 'The key was used before: nothing new was bought.';
  const { body } = response;
  if (typeof body !== 'object' || body === null) return 'The response is not JSON.';
  const { message, customer_name, products } = body as Readonly<Record<string, unknown>>;
  if (customer_name !== undefined) return `Confirmed: ${String(customer_name)}.`;
  if (Array.isArray(products)) return `${products.length} products.`;
  return message === undefined ? '' : String(message);
}

/** The transaction's state now: it changes while one looks on. */
function TransactionOfResult({ reference }: { readonly reference: string }) {
  const transaction = useResource<Transaction>(
    `/transactions/${reference}`,
    (event) => event.type === 'transaction' && event.transaction.reference === reference,
  );
  return (
    <p>
      <TransactionLink reference={reference} /> {transaction && <Badge {...transactionState(transaction)} />}
    </p>
  );
}

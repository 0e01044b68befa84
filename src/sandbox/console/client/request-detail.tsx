import { requestCurl, requestTypeScript } from '../../words/paste.js';
import { Code, headerText } from './code.js';
import { api, linkTo, session, useLoaded, useResource } from './context.js';
import { drawerOf } from './drawer.js';
import type { Client, LoggedRequest, RequestDetail, Transaction } from './resources.js';
import { requestName, requestNotes, requestOutcome, transactionState } from './text.js';
import { Action, Badge, Copy, Facts, Time, TransactionLink } from './widgets.js';

interface RequestProps {
  readonly request: LoggedRequest;
}

/** Copies a request as a command or as code. */
export function RequestCopies({ request }: RequestProps) {
  const { info, clients } = useLoaded();
  const name = `request ${request.id}`;
  const detail = async () => {
    const { operation, body, ...rest } = await api.get<RequestDetail>(`/requests/${request.id}`);
    return { ...rest, operation: operation ?? undefined, body: body ?? undefined };
  };
  // With the client's whole key: the log holds only the key's prefix.
  const credentials = credentialsOf(clients.find(({ client_id }) => client_id === request.client_id));
  const curl = async () => requestCurl(await detail(), new URL(info.base_url).origin, credentials);
  const typescript = async () => requestTypeScript(await detail());
  return (
    <>
      <Copy text={curl} label={`Copy as curl: ${name}`} button="curl" />
      <Copy text={typescript} label={`Copy as TypeScript: ${name}`} button="TypeScript" />
    </>
  );
}

export const credentialsOf = (client: Client | undefined) =>
  client && { clientId: client.client_id, secretKey: client.secret_key, publicKey: client.public_key };

const sendAgain = ({ id }: LoggedRequest): Promise<RequestDetail> => api.post(`/requests/${id}/send`);

export function RequestActions({ request }: RequestProps) {
  const run = async () => {
    const sent = await sendAgain(request);
    const { text, tone } = requestOutcome(sent);
    const what = sent.replayed ? `${text}: the key was used before, nothing new was bought` : text;
    session.notify(`Sent again as request ${sent.id}: ${what}.`, tone === 'good' ? 'good' : 'bad');
  };
  return (
    <>
      <span class="soft">Copy as</span>
      <RequestCopies request={request} />
      <Action kind="quiet" label={`Send again: request ${request.id}`} run={run} text="Send again" />
    </>
  );
}

/** The notes of a request, a line each. */
export function RequestNotes({ request }: RequestProps) {
  const notes = requestNotes(request);
  if (notes.length === 0) return null;
  return (
    <ul class="notes">
      {notes.map(({ text, tone }) => (
        <li key={text} class={tone}>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** A request with its headers, its body and the response. It never changes. */
export const RequestDrawer = drawerOf<RequestDetail>({
  path: '/requests',
  isAffected: () => false,
  title: (detail, id) => (detail ? requestName(detail) : `Request ${id}`),
  summary: (detail) => <Badge {...requestOutcome(detail)} />,
  Panel: RequestPanel,
});

function RequestPanel({ detail }: { readonly detail: RequestDetail }) {
  const { response, query, reference } = detail;
  const lost = detail.outcome === 'complete' ? '' : ', never received by the caller';
  return (
    <>
      <RequestNotes request={detail} />
      <p class="bar">
        <RequestActions request={detail} />
      </p>
      <Facts
        facts={{
          Call: `${detail.method} ${detail.path}`,
          At: <Time at={detail.at} />,
          Took: `${detail.duration_ms} ms`,
          From: detail.ip,
          Client: detail.client_id,
          'Idempotency key': detail.idempotency_key,
          Transaction: reference && <TransactionLink reference={reference} />,
        }}
      />
      {Object.keys(query).length > 0 && <Code title="Query" value={query} />}
      {detail.body !== null && <Code title="Request body" value={detail.body} />}
      {response === null ? (
        <p class="soft">The connection closed before there was a response.</p>
      ) : (
        <Code title={`Response body${lost}`} value={response.body} />
      )}
      <Code title="Request headers" value={headerText(detail.headers)} />
      {response !== null && <Code title="Response headers" value={headerText(response.headers)} />}
    </>
  );
}

interface ResultProps {
  readonly request: RequestDetail;
  /** Shows the result of sending the request again. */
  readonly onSent: (request: RequestDetail) => void;
}

/** What a request that was sent from the page did, and what became of its transaction. */
export function RequestResult({ request, onSent }: ResultProps) {
  const outcome = requestOutcome(request);
  return (
    <div class={`result ${outcome.tone}`} role="status">
      <p>
        <Badge {...outcome} /> {sentence(request)}
      </p>
      {request.reference !== null && <TransactionOfResult reference={request.reference} />}
      <RequestNotes request={request} />
      <p class="bar">
        <Action
          run={async () => onSent(await sendAgain(request))}
          text={request.idempotency_key === null ? 'Send again' : 'Send again with the same key'}
        />
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
  const { value: transaction } = useResource<Transaction>(
    `/transactions/${reference}`,
    (event) => event.type === 'transaction' && event.transaction.reference === reference,
  );
  return (
    <p>
      <TransactionLink reference={reference} /> {transaction && <Badge {...transactionState(transaction)} />}
    </p>
  );
}

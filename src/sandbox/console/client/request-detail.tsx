import { requestCurl } from '../../words/paste.js';
import { Code } from './code.js';
import type { Client, LoggedRequest, RequestDetail } from './resources.js';
import { useLoaded, useResource, useSession } from './session-context.js';
import { requestNotes, requestOutcome } from './text.js';
import { Action, Badge, Copy, Facts, SaleLink } from './widgets.js';

const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** A logged request as a curl command, with the client's whole key: the log holds only the key's prefix. */
const curlOf = (request: RequestDetail, baseUrl: string, clients: readonly Client[]): string => {
  const client = clients.find(({ client_id }) => client_id === request.client_id);
  return requestCurl(
    { ...request, body: request.body ?? undefined },
    new URL(baseUrl).origin,
    client && { clientId: client.client_id, secretKey: client.secret_key, publicKey: client.public_key },
  );
};

export function RequestActions({ request }: { readonly request: LoggedRequest }) {
  const session = useSession();
  const { info, clients } = useLoaded();
  const name = `request ${request.id}`;
  const path = `/requests/${request.id}`;
  const copied = async () => curlOf(await session.api.get<RequestDetail>(path), info.base_url, clients);
  const sendAgain = async () => {
    const sent = await session.api.post<RequestDetail>(`${path}/send`);
    const { text, tone } = requestOutcome(sent);
    const what = sent.replayed ? `${text}: the key was used before, nothing new was bought` : text;
    session.notify(`Sent again as request ${sent.id}: ${what}.`, tone === 'good' ? 'good' : 'bad');
  };
  return (
    <>
      <Copy text={copied} label={`Copy as curl: ${name}`}>
        Copy as curl
      </Copy>
      <Action kind="quiet" label={`Send again: ${name}`} run={sendAgain}>
        Send again
      </Action>
    </>
  );
}

/** The notes of a request, a line each. */
export function RequestNotes({ request }: { readonly request: LoggedRequest }) {
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
export function RequestPanel({ request }: { readonly request: LoggedRequest }) {
  const detail = useResource<RequestDetail>(`/requests/${request.id}`, () => false);
  if (!detail) return <p class="soft">Loading…</p>;
  const { response, query } = detail;
  return (
    <div class="panel">
      <Facts
        facts={[
          ['Call', `${detail.method} ${detail.path}`],
          ['From', detail.ip],
          ['Outcome', <Badge key="outcome" {...requestOutcome(detail)} />],
          ['Took', `${detail.duration_ms} ms`],
          ['idempotency_key', detail.idempotency_key],
          ['Sale', detail.reference === null ? undefined : <SaleLink reference={detail.reference} />],
        ]}
      />
      <RequestNotes request={request} />
      <div class="columns">
        <div>
          {Object.keys(query).length > 0 && <Code title="Query" value={query} />}
          {detail.body !== null && <Code title="Request body" value={detail.body} />}
          <Code title="Request headers" value={headerText(detail.headers)} />
        </div>
        <div>
          {response === null ? (
            <p class="soft">The connection closed without a response.</p>
          ) : (
            <>
              <Code title="Response body" value={response.body} />
              <Code title="Response headers" value={headerText(response.headers)} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

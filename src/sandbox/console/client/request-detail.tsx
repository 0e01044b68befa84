import { requestCurl, requestTypeScript } from '../../words/paste.js';
import { Code } from './code.js';
import { useLoaded, useResource, useSession } from './context.js';
import { Drawer } from './drawer.js';
import type { Client, LoggedRequest, RequestDetail } from './resources.js';
import { requestName, requestNotes, requestOutcome } from './text.js';
import { Action, Badge, Copy, Facts, Time, TransactionLink } from './widgets.js';

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

/** Copies a request as a command or as code. */
export function RequestCopies({ request }: { readonly request: LoggedRequest }) {
  const session = useSession();
  const { info, clients } = useLoaded();
  const name = `request ${request.id}`;
  const path = `/requests/${request.id}`;
  const detail = () => session.api.get<RequestDetail>(path);
  const typescript = async () => {
    const { operation, body, ...rest } = await detail();
    return requestTypeScript({ ...rest, operation: operation ?? undefined, body: body ?? undefined });
  };
  return (
    <>
      <Copy text={async () => curlOf(await detail(), info.base_url, clients)} label={`Copy as curl: ${name}`}>
        curl
      </Copy>
      <Copy text={typescript} label={`Copy as TypeScript: ${name}`}>
        TypeScript
      </Copy>
    </>
  );
}

export function RequestActions({ request }: { readonly request: LoggedRequest }) {
  const session = useSession();
  const sendAgain = async () => {
    const sent = await session.api.post<RequestDetail>(`/requests/${request.id}/send`);
    const { text, tone } = requestOutcome(sent);
    const what = sent.replayed ? `${text}: the key was used before, nothing new was bought` : text;
    session.notify(`Sent again as request ${sent.id}: ${what}.`, tone === 'good' ? 'good' : 'bad');
  };
  return (
    <>
      <RequestCopies request={request} />
      <Action kind="quiet" label={`Send again: request ${request.id}`} run={sendAgain}>
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
export function RequestDrawer({ id }: { readonly id: string }) {
  const detail = useResource<RequestDetail>(`/requests/${encodeURIComponent(id)}`, () => false);
  return (
    <Drawer
      title={detail ? requestName(detail) : `Request ${id}`}
      summary={detail && <Badge {...requestOutcome(detail)} />}
    >
      {detail ? <RequestPanel detail={detail} /> : <p class="soft">Loading…</p>}
    </Drawer>
  );
}

function RequestPanel({ detail }: { readonly detail: RequestDetail }) {
  const { response, query } = detail;
  return (
    <>
      <RequestNotes request={detail} />
      <p class="line">
        Copy as <RequestActions request={detail} />
      </p>
      <Facts
        facts={[
          ['Call', `${detail.method} ${detail.path}`],
          ['At', <Time key="at" at={detail.at} />],
          ['Took', `${detail.duration_ms} ms`],
          ['From', detail.ip],
          ['Client', detail.client_id],
          ['idempotency_key', detail.idempotency_key],
          [
            'Transaction',
            detail.reference === null ? undefined : <TransactionLink reference={detail.reference} />,
          ],
        ]}
      />
      {Object.keys(query).length > 0 && <Code title="Query" value={query} />}
      {detail.body !== null && <Code title="Request body" value={detail.body} />}
      {response === null ? (
        <p class="soft">The connection closed before there was a response.</p>
      ) : (
        <Code
          title={
            detail.outcome === 'complete' ? 'Response body' : 'Response body, never received by the caller'
          }
          value={response.body}
        />
      )}
      <Code title="Request headers" value={headerText(detail.headers)} />
      {response !== null && <Code title="Response headers" value={headerText(response.headers)} />}
    </>
  );
}

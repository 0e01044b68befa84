import type { SandboxRequest } from '../../records/objects.js';
import { callService } from './api.js';
import { Code, headerText } from './code.js';
import { session, useSummary } from './context.js';
import { drawerOf } from './drawer.js';
import { keyOf, requestCurl, requestTypeScript } from './paste.js';
import { callOutcome, type LoggedRequest, requestName, requestNotes, requestOutcome } from './text.js';
import { Action, Badge, Copy, Facts, Time, TransactionLink } from './widgets.js';

interface RequestProps {
  readonly request: LoggedRequest;
}

/** The key of the client that sent a request, as it is now. */
function useKey({ clientId, headers }: LoggedRequest): string | undefined {
  const client = useSummary().clients.find((one) => one.clientId === clientId);
  return keyOf(headers, client);
}

/** Copies a request as a command or as code. */
export function RequestCopies({ request }: RequestProps) {
  const key = useKey(request);
  const name = `request ${request.id}`;
  const call = { ...request, operation: request.operation, body: request.body };
  const curl = () => requestCurl(call, request.headers, location.origin, key);
  return (
    <>
      <Copy text={curl} label={`Copy as curl: ${name}`} button="curl" />
      <Copy text={() => requestTypeScript(call)} label={`Copy as TypeScript: ${name}`} button="TypeScript" />
    </>
  );
}

export function RequestActions({ request }: RequestProps) {
  const key = useKey(request);
  const run = async () => {
    const { text, tone } = callOutcome(
      await callService({ ...request, operation: request.operation, body: request.body }, key, ''),
    );
    session.notify(`Sent again: ${text}.`, tone === 'good' ? 'good' : 'bad');
  };
  return (
    <>
      <span class="soft">Copy as</span>
      <RequestCopies request={request} />
      {request.method !== '' && (
        <Action kind="quiet" label={`Send again: request ${request.id}`} run={run} text="Send again" />
      )}
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

/** A request with its headers, its body and the response. */
export const RequestDrawer = drawerOf<SandboxRequest>({
  path: '/requests',
  title: (detail, id) => (detail ? requestName(detail) : `Request ${id}`),
  summary: (detail) => <Badge {...requestOutcome(detail)} />,
  Panel: RequestPanel,
});

function RequestPanel({ detail }: { readonly detail: LoggedRequest }) {
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
          Took: `${detail.durationMs} ms`,
          From: detail.ip,
          Client: detail.clientId,
          'Idempotency key': detail.idempotency_key,
          Transaction: reference && <TransactionLink reference={reference} />,
        }}
      />
      {Object.keys(query).length > 0 && <Code title="Query" value={query} />}
      {detail.body !== undefined && <Code title="Request body" value={detail.body} />}
      {response === undefined ? (
        <p class="soft">The connection closed before there was a response.</p>
      ) : (
        <Code title={`Response body${lost}`} value={response.body} />
      )}
      <Code title="Request headers" value={headerText(detail.headers)} />
      {response !== undefined && <Code title="Response headers" value={headerText(response.headers)} />}
    </>
  );
}

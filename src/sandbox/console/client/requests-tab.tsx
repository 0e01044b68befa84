import { hasStatus, hasValues, isOfProduct } from '../../control/filter.js';
import { searchFor } from '../../control/search.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import { RequestActions, RequestNotes, RequestPanel } from './request-detail.js';
import type { LoggedRequest, SandboxEvent } from './resources.js';
import { ListTable } from './table.js';
import { requestName, requestOutcome, requestSubject } from './text.js';
import { useList } from './use-list.js';
import { Badge, SaleLink, Time } from './widgets.js';

const idOf = ({ id }: LoggedRequest) => id;

const changeOf = (event: SandboxEvent) =>
  event.type === 'request' ? { item: event.request, isNew: true } : undefined;

/** The same filters as the control API's; of the body, only what the list shows is searched. */
const matches = (request: LoggedRequest, { client, product, status, warnings, q }: Params): boolean =>
  hasValues({ client }, { client: request.client_id }) &&
  isOfProduct(product, request.operation) &&
  hasStatus(status, request.status) &&
  (!warnings || request.warnings.length > 0) &&
  searchFor(q)({
    texts: [request.path, request.idempotency_key, request.reference, JSON.stringify(request)],
  });

const outcomes = {
  param: 'status',
  label: 'Outcome',
  options: [
    ['', 'All outcomes'],
    ['2', '2xx'],
    ['4', '4xx'],
    ['5', '5xx'],
    ['none', 'No response'],
  ],
} as const;

const warned = {
  param: 'warnings',
  label: 'Warnings',
  options: [
    ['', 'With or without warnings'],
    ['1', 'Only with warnings'],
  ],
} as const;

export function RequestsTab({ params }: { readonly params: Params }) {
  const { client, product, status, warnings, q } = params;
  const list = useList<LoggedRequest>({
    path: '/requests',
    query: { client, product, status, warnings: warnings || undefined, q },
    idOf,
    changeOf,
    matches: (request) => matches(request, params),
  });
  const isFiltered = Boolean(client || product || status || warnings || q);
  return (
    <>
      <Filters
        params={params}
        placeholder="path, key, reference, body"
        choices={[productChoices, outcomes, warned]}
      />
      <ListTable
        name="Requests"
        list={list}
        idOf={idOf}
        titleOf={(request) => `request ${request.id}: ${requestName(request)}`}
        columns={[
          { name: 'Call', area: 'title', cell: (one) => <code>{requestName(one)}</code> },
          { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
          { name: 'Client', area: 'client', cell: ({ client_id }) => client_id ?? 'unknown' },
          { name: 'For', area: 'subject', cell: (one) => <Subject request={one} /> },
          { name: 'Outcome', area: 'state outcome', cell: (one) => <Badge {...requestOutcome(one)} /> },
          { name: 'Notes', area: 'notes', cell: (one) => <RequestNotes request={one} /> },
        ]}
        actions={(request) => <RequestActions request={request} />}
        details={(request) => <RequestPanel request={request} />}
        empty={isFiltered ? 'No request matches these filters.' : 'No request has arrived yet.'}
      />
    </>
  );
}

/** What was asked for, and the sale that came of it. */
function Subject({ request }: { readonly request: LoggedRequest }) {
  return (
    <>
      {requestSubject(request)}
      {request.reference !== null && (
        <small>
          <SaleLink reference={request.reference} />
        </small>
      )}
    </>
  );
}

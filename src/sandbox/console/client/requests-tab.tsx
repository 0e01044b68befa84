import { hasStatus, hasValues, isOfProduct } from '../../control/filter.js';
import { searchFor } from '../../control/search.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import { RequestCopies, RequestDrawer } from './request-detail.js';
import type { LoggedRequest, SandboxEvent } from './resources.js';
import { type Column, ListTable } from './table.js';
import { brief, naira, requestName, requestNotes, requestOutcome } from './text.js';
import { useList } from './use-list.js';
import { Badge, Time, TransactionLink } from './widgets.js';

const idOf = ({ id }: LoggedRequest) => id;

const changeOf = (event: SandboxEvent) =>
  event.type === 'request' ? { item: event.request, isNew: true } : undefined;

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

const shown = (value: unknown, length: number): string =>
  value === null ? '' : brief(String(value), length);

const columns: readonly Column<LoggedRequest>[] = [
  { name: 'Outcome', area: 'outcome', cell: (one) => <Badge {...requestOutcome(one)} /> },
  { name: 'Call', area: 'call', cell: requestName },
  { name: 'Biller', area: 'biller', cell: ({ biller }) => shown(biller, 16) },
  { name: 'Recipient', area: 'recipient', cell: ({ recipient }) => shown(recipient, 24) },
  { name: 'Amount', area: 'amount', cell: ({ amount }) => (amount === null ? '' : naira(amount)) },
  { name: 'Notes', area: 'notes', cell: (one) => <Notes request={one} /> },
  {
    name: 'Transaction',
    area: 'reference',
    cell: ({ reference }) => reference !== null && <TransactionLink reference={reference} />,
  },
  { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
  { name: 'Copy as', area: 'actions', cell: (request) => <RequestCopies request={request} /> },
];

export function RequestsTab({ params }: { readonly params: Params }) {
  const { client, product, status, warnings, q, open } = params;
  const isFiltered = Boolean(client || product || status || warnings || q);
  const isFound = searchFor(q);
  const list = useList<LoggedRequest>({
    path: '/requests',
    query: { client, product, status, warnings: warnings || undefined, q },
    idOf,
    changeOf,
    // The same filters as the control API's; of the body, only what the list shows is searched.
    matches: (request) =>
      hasValues({ client }, { client: request.client_id }) &&
      isOfProduct(product, request.operation) &&
      hasStatus(status, request.status) &&
      (!warnings || request.warnings.length > 0) &&
      isFound({
        texts: [JSON.stringify(request)],
        recipient: typeof request.recipient === 'string' ? request.recipient : undefined,
        amount: typeof request.amount === 'number' ? request.amount : undefined,
      }),
    isHeld: isFiltered || open !== undefined,
  });
  return (
    <>
      <Filters
        params={params}
        placeholder="path, key, reference, body"
        choices={[productChoices, outcomes, warned]}
        list={list}
      />
      <ListTable
        name="Requests"
        kind="requests"
        list={list}
        titleOf={(request) => `request ${request.id}: ${requestName(request)}`}
        columns={columns}
        empty={isFiltered ? 'No request matches these filters.' : 'No request has arrived yet.'}
      />
      {open !== undefined && <RequestDrawer key={open} id={open} />}
    </>
  );
}

/** All notes in one line; the drawer has a line for each. */
function Notes({ request }: { readonly request: LoggedRequest }) {
  const notes = requestNotes(request);
  const text = notes.map((note) => note.text).join('; ');
  return (
    <span class={notes.some(({ tone }) => tone === 'wait') ? 'wait' : 'plain'} title={text}>
      {text}
    </span>
  );
}

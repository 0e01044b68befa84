import type { SandboxDelivery } from '../service/delivery.js';
import type { ActiveFault } from '../service/faults.js';
import type { SandboxRequest } from '../service/request-log.js';
import type { SandboxTransaction } from '../service/transactions.js';
import type { LedgerEntry } from '../service/wallet.js';
import type { Sandbox, SandboxClient } from '../types.js';
import type { Action, Cell, Row, Tone, View } from './model.js';
import { dateTime, faultLeft, faultTarget, faultWords, money, productNames, timeOfDay } from './words.js';

/** The page as it stands: bounded, however much has happened, so it can be sent whole at each change. */

/** How many rows a table shows. */
const shown = 50;

/** Where the console's own routes are. */
export const consolePath = '/_console';

/** References and ids are made of letters, digits and dashes: they need no escaping. */
const path = (...parts: readonly (string | number)[]): string => [consolePath, ...parts].join('/');

const post = (label: string, to: string, body: object): Action => ({
  does: 'post',
  label,
  path: path(to),
  body,
});

function newest<T>(
  list: readonly T[],
  toRow: (item: T, at: number) => Row,
): { rows: readonly Row[]; count: string } {
  const from = Math.max(0, list.length - shown);
  const rows = list
    .slice(from)
    .map((item, at) => toRow(item, from + at))
    .reverse();
  return {
    rows,
    count: list.length > shown ? `last ${shown} of ${list.length.toLocaleString('en')}` : `${list.length}`,
  };
}

/** How each state is coloured. */
export const statusTones: Readonly<Record<string, Tone>> = {
  pending: 'wait',
  success: 'good',
  delivered: 'good',
  failed: 'bad',
};

/** A state as a coloured word. */
const state = (word: string, text = word): Cell => ({ text, tone: statusTones[word] });

/** The two ways to end a pending transaction. */
export const settleActions = ({ reference }: SandboxTransaction): readonly Action[] => [
  post('Succeed', 'settle', { reference, outcome: 'success' }),
  post('Fail', 'settle', { reference, outcome: 'failed' }),
];

/** Callers can put anything into a field; a table shows the beginning of it. */
const brief = (text: string): string => (text.length > 32 ? `${text.slice(0, 31)}…` : text);

/** Shows the tokens of a row. */
export const reveal: Action = { does: 'reveal', label: 'Show token' };

function transactionRow(transaction: SandboxTransaction, now: Date): Row {
  const { reference, status, refunded } = transaction;
  return {
    key: reference,
    cells: [
      { text: reference },
      { text: timeOfDay(new Date(`${transaction.created_at.replace(' ', 'T')}Z`), now) },
      { text: brief(`${productNames[transaction.product]} ${transaction.biller}`) },
      { text: brief(transaction.recipient) },
      { text: money(transaction.amount) },
      state(status, refunded ? 'failed, refunded' : status),
    ],
    actions: status === 'pending' ? settleActions(transaction) : transaction.token === null ? [] : [reveal],
    detail: path('transaction', reference),
  };
}

function deliveryRow(delivery: SandboxDelivery, now: Date): Row {
  const { attempts, nextAttemptAt } = delivery;
  const last = attempts.at(-1);
  const next = nextAttemptAt && `, next ${timeOfDay(nextAttemptAt, now)}`;
  return {
    key: delivery.id,
    cells: [
      { text: delivery.event },
      { text: timeOfDay(delivery.at, now) },
      { text: delivery.reference },
      { text: last ? `${attempts.length}, last ${last.status ?? 'unanswered'}` : '0' },
      state(delivery.state, `${delivery.state}${next ?? ''}`),
    ],
    actions: [post('Redeliver', 'redeliver', { id: delivery.id })],
    detail: path('delivery', delivery.id),
  };
}

/** What came of a request: `202`, `500, cut off`, `connection closed`. */
function answerCell({ response, outcome }: SandboxRequest): Cell {
  if (outcome === 'closed' || !response) return { text: 'connection closed', tone: 'bad' };
  const { status } = response;
  const tone = status < 400 && outcome === 'complete' ? 'good' : 'bad';
  return { text: outcome === 'cut' ? `${status}, cut off` : String(status), tone };
}

/** The error code of an answer, where it has one. */
function codeOf({ response }: SandboxRequest): string | undefined {
  const body = response?.body;
  const isError =
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    response !== undefined &&
    response.status >= 400;
  return isError ? String(body.code) : undefined;
}

/** What was special about a request. */
export const requestNote = (request: SandboxRequest): string =>
  [
    codeOf(request),
    request.replayed && 'key repeated: not charged again',
    request.fault && `fault: ${faultWords(request.fault)}`,
  ]
    .filter(Boolean)
    .join('; ');

const requestRow = (request: SandboxRequest, now: Date): Row => ({
  key: String(request.id),
  cells: [
    { text: `${request.method} ${request.path}` },
    { text: timeOfDay(request.at, now) },
    { text: `${request.durationMs} ms` },
    answerCell(request),
    { text: requestNote(request) },
  ],
  actions: [{ does: 'copy', label: 'Copy as curl', path: path('curl', request.id) }],
  detail: path('request', request.id),
});

const ledgerRow = (entry: LedgerEntry, at: number, now: Date): Row => ({
  key: String(at),
  cells: [
    { text: entry.kind },
    { text: `${entry.kind === 'debit' ? '−' : '+'}${money(entry.amount)}` },
    { text: [timeOfDay(entry.at, now), entry.reference].filter(Boolean).join(' ') },
    { text: money(entry.balance) },
  ],
  actions: [],
});

const faultRow = (fault: ActiveFault): Row => ({
  key: String(fault.id),
  cells: [
    { text: faultWords(fault.options) },
    { text: `${faultTarget(fault.options)}: ${faultLeft(fault)}, met ${fault.used}` },
  ],
  actions: [post('Turn off', 'fault-off', { id: fault.id })],
});

const clientLabel = ({ clientId, verified, suspended, allowedIps }: SandboxClient): string => {
  const conditions = [
    !verified && 'unverified',
    suspended && 'suspended',
    allowedIps.length > 0 && 'allow-list',
  ];
  const words = conditions.filter(Boolean).join(', ');
  return words === '' ? clientId : `${clientId} (${words})`;
};

const subscriptionWords = ({ subscription }: SandboxClient): string => {
  if (!subscription) return 'not subscribed';
  return subscription.enabled ? subscription.url : `${subscription.url} (disabled)`;
};

/** The whole page, with the wallet of `clientId` (of the default client where there is none such). */
export function viewOf(sandbox: Sandbox, baseUrl: string, clientId: string | undefined): View {
  const { now, clients } = sandbox;
  const client = clients.find((one) => one.clientId === clientId) ?? sandbox.client();
  const wallet = sandbox.wallet(client.clientId);
  return {
    baseUrl,
    clients: clients.map((one) => ({ id: one.clientId, label: clientLabel(one) })),
    client: client.clientId,
    balance: money(wallet.balance),
    subscription: subscriptionWords(client),
    manualTime: sandbox.clock === 'manual' ? dateTime(now) : undefined,
    tables: {
      transactions: newest(sandbox.transactions, (transaction) => transactionRow(transaction, now)),
      deliveries: newest(sandbox.deliveries, (delivery) => deliveryRow(delivery, now)),
      requests: newest(sandbox.requests, (request) => requestRow(request, now)),
      ledger: newest(wallet.ledger, (entry, at) => ledgerRow(entry, at, now)),
      faults: newest(sandbox.faults.active, faultRow),
    },
  };
}

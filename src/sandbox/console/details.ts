import type { SandboxDelivery, SandboxDeliveryAttempt } from '../service/delivery.js';
import type { SandboxRequest } from '../service/request-log.js';
import type { SandboxTransaction } from '../service/transactions.js';
import type { Sandbox } from '../types.js';
import type { Action, Block } from './model.js';
import { covered, coverTokens } from './tokens.js';
import { consolePath, requestNote, reveal, settleActions, statusTones } from './view.js';
import { dateTime, productNames } from './words.js';

/** What opens below a row. */

/** The longest text that is shown whole, in characters. */
const longest = 20_000;

/** The most events of one timeline. */
const mostEvents = 100;

const cutShort = (text: string): string =>
  text.length > longest
    ? `${text.slice(0, longest)}… (${text.length.toLocaleString('en')} characters)`
    : text;

/** A JSON value or text, its tokens covered unless they were asked for. */
function code(title: string, value: unknown, revealed: boolean): Block {
  const safe = revealed ? value : coverTokens(value);
  const text = typeof safe === 'string' ? safe : JSON.stringify(safe, undefined, 2);
  const isCovered = !revealed && JSON.stringify(value) !== JSON.stringify(safe);
  return { title, code: cutShort(text), ...(isCovered && { actions: [reveal] }) };
}

const headerBlock = (title: string, headers: Readonly<Record<string, string>>): Block => ({
  title,
  code: Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
});

type Facts = readonly (readonly [string, string | undefined])[];

const known = (facts: Facts): readonly (readonly [string, string])[] =>
  facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));

const attemptWords = ({ number, reason, status, error, corruption }: SandboxDeliveryAttempt): string => {
  const how = [reason !== 'first' && reason, corruption?.replace('-', ' ')].filter(Boolean).join(', ');
  return `attempt ${number}${how && ` (${how})`}: ${status ?? error}`;
};

function transactionDetail(
  sandbox: Sandbox,
  transaction: SandboxTransaction,
  revealed: boolean,
): readonly Block[] {
  const { token, status } = transaction;
  return [
    {
      title: 'Transaction',
      facts: known([
        ['Product', `${productNames[transaction.product]} ${transaction.biller}`],
        ['Code', transaction.product_code],
        ['Quantity', transaction.quantity === 1 ? undefined : String(transaction.quantity)],
        ['Meter', transaction.meter_type],
        ['Recipient', transaction.recipient],
        ['Client', transaction.clientId],
        ['idempotency_key', transaction.idempotency_key],
        ['Completed', transaction.completed_at],
        ['Token', token === null ? undefined : revealed ? token.replaceAll('||', '\n') : covered],
      ]),
      actions: [
        ...(status === 'pending' ? settleActions(transaction) : []),
        ...(token === null || revealed ? [] : [reveal]),
      ],
    },
    {
      title: 'What happened',
      events: sandbox
        .timeline(transaction.reference)
        .slice(-mostEvents)
        .map(({ at, kind, text }) => ({
          at: dateTime(at),
          text,
          tone: kind === 'settlement' ? statusTones[status] : undefined,
        })),
    },
  ];
}

function deliveryDetail(delivery: SandboxDelivery, revealed: boolean): readonly Block[] {
  const { id, attempts } = delivery;
  const last = attempts.at(-1);
  const again = (label: string, corrupt: string): Action => ({
    does: 'post',
    label,
    path: `${consolePath}/redeliver`,
    body: { id, corrupt },
  });
  const body = code('Body', JSON.parse(delivery.body), revealed);
  return [
    {
      title: 'Delivery',
      facts: known([
        ['Delivery id', id],
        ['Client', delivery.clientId],
        ['To', last?.url],
      ]),
      actions: [
        again('Redeliver with a bad signature', 'bad-signature'),
        again('Redeliver with an old timestamp', 'old-timestamp'),
      ],
    },
    {
      title: 'Attempts',
      events: attempts.map((attempt) => ({
        at: dateTime(attempt.at),
        text: `${attemptWords(attempt)}, ${attempt.durationMs} ms`,
        tone: attempt.delivered ? 'good' : 'bad',
      })),
    },
    headerBlock('Headers of the last attempt', last?.headers ?? {}),
    // Shown as it was sent, on one line: the signature is over exactly these bytes.
    { ...body, code: revealed ? delivery.body : JSON.stringify(coverTokens(JSON.parse(delivery.body))) },
  ];
}

function requestDetail(request: SandboxRequest, revealed: boolean): readonly Block[] {
  const query = Object.entries(request.query);
  const { response } = request;
  return [
    {
      title: 'Request',
      facts: known([
        ['Call', request.operation],
        ['From', request.ip],
        ['Reference', request.reference],
        ['Note', requestNote(request)],
        ...query.map(([name, value]) => [name, value] as const),
      ]),
    },
    headerBlock('Headers', request.headers),
    ...(request.body === undefined ? [] : [code('Body', request.body, revealed)]),
    ...(response === undefined
      ? [{ title: 'Answer', code: 'none: the connection closed' }]
      : [
          headerBlock(`Answer ${response.status}`, response.headers),
          code('Answer body', response.body, revealed),
        ]),
  ];
}

/** The details of a row, undefined where there is no such thing. */
export function detailOf(
  sandbox: Sandbox,
  kind: string,
  id: string,
  revealed: boolean,
): readonly Block[] | undefined {
  switch (kind) {
    case 'transaction': {
      const transaction = sandbox.transaction(id);
      return transaction && transactionDetail(sandbox, transaction, revealed);
    }
    case 'delivery': {
      const delivery = sandbox.deliveries.find((one) => one.id === id);
      return delivery && deliveryDetail(delivery, revealed);
    }
    case 'request': {
      const request = sandbox.requests.find((one) => String(one.id) === id);
      return request && requestDetail(request, revealed);
    }
    default:
      return undefined;
  }
}

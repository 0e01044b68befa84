import fc from 'fast-check';
import { drawn, sometimes } from './drawn.js';

/** Fields of an acceptance that docs/service.md leaves room in: how they are echoed differs from order to order. */
type Echo = Record<string, unknown>;

const phoneBillers = ['MTN', 'GLO', 'AIRTEL', '9MOBILE', 'WAEC'];

const rounding = fc.constantFrom<(amount: number) => number>(
  (amount) => Math.round(amount * 100) / 100,
  Math.floor,
  Math.ceil,
  Math.round,
);

const mask = (recipient: string) => `${recipient.slice(0, 3)}****${recipient.slice(-4)}`;

const recipientForms: readonly ((recipient: string) => unknown)[] = [
  mask,
  (recipient) => `*******${recipient.slice(-4)}`,
  (recipient) => recipient.slice(-4),
  (recipient) => `${recipient} (PREPAID)`,
  (recipient) => `NO. ${recipient}`,
  Number,
];

const phoneForms: typeof recipientForms = [
  ...recipientForms,
  (recipient) => `+234${recipient.slice(1)}`,
  (recipient) => mask(`+234${recipient.slice(1)}`),
];

/** An acceptance from a service that nets the commission, rounds and masks. */
function rewritten(seed: string, data: Echo): Echo {
  const { recipient, biller, amount } = data;
  if (typeof recipient !== 'string' || typeof amount !== 'number') return data;
  const forms = phoneBillers.includes(String(biller).toUpperCase()) ? phoneForms : recipientForms;
  const echo = fc.record({
    commission: sometimes(0.5, fc.constantFrom(0.02, 0.05, 0.1)),
    round: rounding,
    form: sometimes(0.6, fc.constantFrom(...forms)),
  });
  const { commission = 0, round, form = String } = drawn(echo, `${seed} echo ${recipient}`);
  return {
    ...data,
    amount: round(amount - Math.min(150, amount * commission)),
    recipient: form(recipient),
  };
}

/** Rewrites the echo in one HTTP message of the service; any other message stays as it is. */
export function rewriteEcho(seed: string, message: Buffer): Buffer {
  const text = message.toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  if (!text.startsWith('HTTP/1.1 202 ') || end < 0) return message;
  let body: { data?: Echo };
  try {
    body = JSON.parse(text.slice(end + 4));
  } catch {
    // A body that the service itself cut.
    return message;
  }
  if (!body.data) return message;
  const json = JSON.stringify({ ...body, data: rewritten(seed, body.data) });
  const head = text.slice(0, end).replace(/(\r\ncontent-length: *)\d+/i, `$1${Buffer.byteLength(json)}`);
  return Buffer.from(`${head}\r\n\r\n${json}`);
}

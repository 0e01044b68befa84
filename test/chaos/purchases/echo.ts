import { Random } from '../../support/random.js';

/** Fields of an acceptance that docs/service.md leaves room in: how they are echoed differs from order to order. */
type Echo = Record<string, unknown>;

const phoneBillers = ['MTN', 'GLO', 'AIRTEL', '9MOBILE', 'WAEC'];

const rounded: readonly [(amount: number) => number, ...((amount: number) => number)[]] = [
  (amount) => Math.round(amount * 100) / 100,
  Math.floor,
  Math.ceil,
  Math.round,
];

const mask = (recipient: string) => `${recipient.slice(0, 3)}****${recipient.slice(-4)}`;

const recipientForms: readonly [(recipient: string) => unknown, ...((recipient: string) => unknown)[]] = [
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
  const random = new Random(`${seed} echo ${recipient}`);
  const commission = random.chance(0.5) ? Math.min(150, amount * random.pick([0.02, 0.05, 0.1])) : 0;
  const round = random.pick(rounded);
  const forms = phoneBillers.includes(String(biller).toUpperCase()) ? phoneForms : recipientForms;
  return {
    ...data,
    amount: round(amount - commission),
    recipient: random.chance(0.6) ? random.pick(forms)(recipient) : recipient,
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

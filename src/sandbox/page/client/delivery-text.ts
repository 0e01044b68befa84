import type { Json } from '../../control/types.js';
import type { SandboxDelivery } from '../../records/delivery.js';
import { brief, inTime, type Worded } from './text.js';

/** How a webhook's way to its receiver is put into words. */

export type Delivery = Json<SandboxDelivery>;

/** What the words are made of. */
type Facts = Pick<Delivery, 'state' | 'nextAttemptAt'> & {
  readonly attempts: readonly Pick<
    Delivery['attempts'][number],
    'status' | 'error' | 'reply' | 'delivered' | 'url'
  >[];
};

/** Why there was no response, by what the error says: in few words, and what to do about it. `$1` is what the pattern found. */
const failures = [
  {
    pattern: /ECONNREFUSED \S*:(\d+)/,
    text: 'nothing listens on port $1',
    advice: 'Nothing listens on port $1: start your receiver, or subscribe its address.',
  },
  {
    pattern: /(?:ENOTFOUND|EAI_AGAIN) (\S+)/,
    text: 'unknown host $1',
    advice: 'No such host is known: check the URL of the subscription.',
  },
  {
    pattern: /no response within/,
    text: 'timed out',
    advice: 'The receiver took too long: respond first, and do the work afterwards.',
  },
  {
    pattern: /^not sent/,
    text: 'not sent: subscription disabled',
    advice: 'The subscription is disabled: subscribe again with enabled: true.',
  },
] as const;

function failureText(error: string | undefined, what: 'text' | 'advice'): string | undefined {
  const failure = failures.find(({ pattern }) => pattern.test(error ?? ''));
  return failure?.[what].replace('$1', failure.pattern.exec(error ?? '')?.[1] ?? '');
}

/** What the receiver replied to the last attempt: `500: the database is down`, in one line. */
export function replyText({ attempts }: Pick<Facts, 'attempts'>): string {
  const last = attempts.at(-1);
  if (!last) return 'being sent';
  if (last.status === undefined) return failureText(last.error, 'text') ?? 'no response';
  const reply = last.delivered ? undefined : last.reply?.replace(/\s+/g, ' ').trim();
  return reply ? `${last.status}: ${brief(reply, 80)}` : String(last.status);
}

/** How a delivery is doing: `503: busy, again in 4 min`. It is red from its first failed attempt until one succeeds, whatever came before. */
export function deliveryState(delivery: Facts, now: number): Worded {
  const { state, attempts, nextAttemptAt } = delivery;
  const isDelivered = attempts.at(-1)?.delivered;
  const end = replyText(delivery);
  if (isDelivered === undefined) return { text: end, tone: 'wait' };
  if (isDelivered) return { text: end, tone: 'good' };
  if (state === 'delivered') return { text: `delivered before, then ${end}`, tone: 'bad' };
  if (state === 'failed') return { text: `${end}, given up`, tone: 'bad' };
  const again = nextAttemptAt === undefined ? '' : `, again ${inTime(Date.parse(nextAttemptAt) - now)}`;
  return { text: `${end}${again}`, tone: 'bad' };
}

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'The receiver refuses the signature: it must verify the raw body with the secret of this subscription.',
  403: 'The receiver refuses the request: does it ask webhooks for a login or a CSRF token?',
  404: 'The receiver has no such route: check the path of the subscription.',
  405: 'The route exists, but takes no POST.',
  413: 'The receiver limits bodies to less than this one has.',
};

/** What to do about a delivery that failed; undefined where it did not, or nothing can be said. */
export function deliveryAdvice({ attempts }: Pick<Facts, 'attempts'>): string | undefined {
  const last = attempts.at(-1);
  if (!last || last.delivered) return undefined;
  const { status, error } = last;
  if (status === undefined) return failureText(error, 'advice');
  if (status >= 300 && status < 400) {
    return 'Webhooks follow no redirect: subscribe the address that it leads to.';
  }
  return status >= 500 ? 'The receiver failed: its own log says why.' : adviceByStatus[status];
}

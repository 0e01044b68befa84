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

/** Why there was no response, in few words: `nothing listens on port 4799`. */
function shortReason(error: string | undefined): string {
  if (error === undefined) return 'no response';
  const port = /ECONNREFUSED \S*:(\d+)/.exec(error)?.[1];
  if (port) return `nothing listens on port ${port}`;
  const host = /(?:ENOTFOUND|EAI_AGAIN) (\S+)/.exec(error)?.[1];
  if (host) return `unknown host ${host}`;
  if (/^not sent/.test(error)) return 'not sent: subscription disabled';
  return /no response within/.test(error) ? 'timed out' : 'no response';
}

/** What the receiver replied to the last attempt: `500: the database is down`, in one line. */
export function replyText({ attempts }: Pick<Facts, 'attempts'>): string {
  const last = attempts.at(-1);
  if (!last) return 'being sent';
  if (last.status === undefined) return shortReason(last.error);
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
  const { status, error = '' } = last;
  if (status !== undefined) {
    if (status >= 300 && status < 400) {
      return 'Webhooks follow no redirect: subscribe the address that it leads to.';
    }
    if (status >= 500) return 'The receiver failed: its own log says why.';
    return adviceByStatus[status];
  }
  const port = /ECONNREFUSED \S*:(\d+)/.exec(error)?.[1];
  if (port) return `Nothing listens on port ${port}: start your receiver, or subscribe its address.`;
  if (/ENOTFOUND|EAI_AGAIN/.test(error)) return 'No such host is known: check the URL of the subscription.';
  if (/no response within/.test(error)) {
    return 'The receiver took too long: respond first, and do the work afterwards.';
  }
  if (/^not sent/.test(error)) return 'The subscription is disabled: subscribe again with enabled: true.';
  return undefined;
}

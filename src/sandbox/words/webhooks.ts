/** How a webhook's way to its receiver is put into words. */

/** What the words are made of: the fields of a delivery in the control API. */
export interface DeliveryFacts {
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_delivered: boolean | null;
  readonly last_url: string | null;
  readonly next_attempt_at: string | null;
}

/** `now`, `in 40 s`, `in 4 min`, `in 6 h`, `in 2 days`. */
export function inTime(ms: number): string {
  if (ms < 1000) return 'now';
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `in ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}

/** Why there was no response, in few words: `nothing listens on port 4799`. */
function shortReason(error: string | null): string {
  if (error === null) return 'no response';
  const port = /ECONNREFUSED \S*:(\d+)/.exec(error)?.[1];
  if (port) return `nothing listens on port ${port}`;
  const host = /(?:ENOTFOUND|EAI_AGAIN) (\S+)/.exec(error)?.[1];
  if (host) return `unknown host ${host}`;
  if (/^not sent/.test(error)) return 'not sent: subscription disabled';
  return /no response within/.test(error) ? 'timed out' : 'no response';
}

/** How the last attempt of a delivery ended, and when the next one is due: `503, again in 4 min`. */
export function deliveryWords(delivery: DeliveryFacts, now: number): string {
  const { state, last_status, last_error, last_delivered, next_attempt_at } = delivery;
  if (last_delivered === null) return 'being sent';
  const end = last_status === null ? shortReason(last_error) : String(last_status);
  if (state === 'delivered') return last_delivered ? end : `delivered before, then ${end}`;
  if (state === 'failed') return `${end}, given up`;
  return next_attempt_at === null ? end : `${end}, again ${inTime(Date.parse(next_attempt_at) - now)}`;
}

const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'The receiver refuses the signature: it must verify the raw body with the secret of this subscription.',
  403: 'The receiver refuses the request: does it ask webhooks for a login or a CSRF token?',
  404: 'The receiver has no such route: check the path of the subscription.',
  405: 'The route exists, but takes no POST.',
  413: 'The receiver limits bodies to less than this one has.',
};

/** What to do about a delivery that failed; undefined where it did not, or nothing can be said. */
export function deliveryAdvice(
  delivery: Omit<DeliveryFacts, 'state' | 'next_attempt_at'>,
): string | undefined {
  const { last_status: status, last_error: error, last_delivered, last_url: url } = delivery;
  if (last_delivered !== false) return undefined;
  if (status !== null) {
    if (status >= 300 && status < 400) {
      return 'Webhooks follow no redirect: subscribe the address that it leads to.';
    }
    if (status >= 500) return 'The receiver failed: its own log says why.';
    return adviceByStatus[status];
  }
  const port = /ECONNREFUSED \S*:(\d+)/.exec(error ?? '')?.[1];
  if (port) {
    return `Nothing listens on port ${port}: start your receiver, or run npx billpay sandbox listen --forward-to ${url}`;
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(error ?? ''))
    return 'No such host is known: check the URL of the subscription.';
  if (/no response within/.test(error ?? '')) {
    return 'The receiver took too long: respond first, and do the work afterwards.';
  }
  if (/^not sent/.test(error ?? ''))
    return 'The subscription is disabled: subscribe again with enabled: true.';
  return undefined;
}

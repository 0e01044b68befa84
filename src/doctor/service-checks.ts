import { rateLimits } from '../contract/limits.js';
import { errorEnvelope } from '../http/proof.js';
import { retryAfterSeconds } from '../http/retry.js';
import { field } from '../utils/field.js';
import { keyKindOf } from '../validation/credentials.js';
import { type Finding, failed, type Outcome, ok, skipped, warning } from './finding.js';
import { type Probe, type ProbeResponse, probe } from './network-checks.js';

interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clientId: string;
}

/** Sends a read to the service: the doctor never sends anything that could charge. */
function read({ baseUrl, apiKey, clientId }: Account, path: string, query: Record<string, string>) {
  const search = new URLSearchParams({ client_id: clientId, ...query });
  return probe(`${baseUrl}${path}?${search}`, { headers: { Authorization: `Bearer ${apiKey}` } });
}

/** Examines the service by two reads: a catalogue, and the status of a transaction that does not exist. */
export async function* checkService(account: Account): AsyncGenerator<Finding> {
  const catalogue = await read(account, '/data/products', { biller: 'MTN' });
  const service = judgeService(catalogue, account.baseUrl);
  yield { check: 'service', ...service };
  if (catalogue.kind === 'failure') return;
  yield { check: 'clock', ...judgeClock(catalogue) };
  yield { check: 'rate-limit', ...judgeRateLimit(catalogue) };
  if (service.status === 'failed') return;
  const accepted = judgeAccount(catalogue);
  yield { check: 'account', ...accepted };
  if (accepted.status === 'failed' || keyKindOf(account.apiKey) !== 'secret') return;
  const reference = `billpay-doctor-${crypto.randomUUID()}`;
  const status = await read(account, '/transactions/status', { reference });
  yield { check: 'secret-key', ...judgeSecretKey(status) };
}

/** Whether the service itself responds at the base address. */
export function judgeService(response: Probe, baseUrl: string): Outcome {
  if (response.kind === 'failure') {
    return failed(
      `no response (${response.code})`,
      'check the host and port of BILLPAY_BASE_URL, and whether a firewall lets this machine out',
    );
  }
  const { status, json, headers } = response;
  if (status >= 300 && status < 400) {
    const target = headers.get('location')?.split('?')[0] ?? 'a place that it does not name';
    return failed(`redirects (${status}) to ${target}`, 'use the final address as BILLPAY_BASE_URL');
  }
  const isCatalogue = status === 200 && Array.isArray(field(json, 'products'));
  if (!isCatalogue && !errorEnvelope(json)) {
    return failed(
      `the response (${status}) is not the service's own`,
      'check the path of BILLPAY_BASE_URL, and whether a proxy or firewall responds in its place',
    );
  }
  if (status === 404 && isOlderPrefix(baseUrl)) {
    return warning(
      'has no catalogues at its older prefix /v1',
      'use a BILLPAY_BASE_URL that ends in /api/v1',
    );
  }
  if (status === 404) {
    return failed('has no catalogues at this address (404)', 'use a BILLPAY_BASE_URL that ends in /api/v1');
  }
  if (status >= 500) return warning(`responds with ${status}`, 'the service has a problem: try again later');
  return ok('responds');
}

/** Purchases and lookups still work under `/v1`, catalogues do not (docs/service.md, "Versioning", rules 3 and 4). */
const isOlderPrefix = (baseUrl: string): boolean => /(?<!\/api)\/v1$/.test(new URL(baseUrl).pathname);

/** Seconds from which a difference of the clocks matters: a webhook may be at most 300 s in the future. */
const skewWarning = 30;
const skewFailure = 300;

/** Whether the clock of this machine agrees with the service's `Date` header. */
export function judgeClock({ headers, sentAt, receivedAt }: ProbeResponse): Outcome {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return skipped('the response has no Date header to compare with');
  // The header has whole seconds, and was written at some moment between the request and its response.
  const ahead = sentAt - (date + 1000);
  const behind = date - receivedAt;
  const skew = Math.max(ahead, behind, 0) / 1000;
  const direction = ahead > behind ? 'ahead of' : 'behind';
  const message = `the clock of this machine is ${Math.round(skew)} s ${direction} the service's`;
  const remedy = 'synchronise it by NTP: webhooks are refused when the clocks differ by more than 300 s';
  if (skew > skewFailure) return failed(message, remedy);
  if (skew > skewWarning) return warning(message, remedy);
  return ok("agrees with the service's");
}

/** Headers in which services tell how many requests are left. */
const headroomHeaders = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining'];

/** How close the account is to its rate limits, as far as the service says. */
export function judgeRateLimit({ status, headers, json }: ProbeResponse): Outcome {
  const remedy = 'use the option pacing, and share one pacer or limiter between all processes of the account';
  if (status === 429) {
    const seconds = retryAfterSeconds(headers, json, Date.now());
    const wait = seconds === undefined ? '' : `, for another ${seconds} s`;
    return failed(`the account or address is over its rate limit${wait}`, remedy);
  }
  const value = headroomHeaders.map((name) => headers.get(name)).find((text) => text !== null);
  const remaining = Number(value ?? Number.NaN);
  if (Number.isNaN(remaining)) {
    return skipped('not exceeded; the service does not tell how many requests are left');
  }
  return remaining < rateLimits.purchases.limit
    ? warning(`only ${remaining} requests are left in this window`, remedy)
    : ok(`${remaining} requests are left in this window`);
}

/** Another run helps only where the response may be another one then. */
const whatNext = (status: number): string =>
  status >= 500 || status === 429
    ? 'run the doctor again later'
    : 'ask the support of the service what it means';

/** Whether the service accepts the key with the account. */
export function judgeAccount({ status, json }: ProbeResponse): Outcome {
  const code = errorEnvelope(json)?.code ?? 'no code';
  if (status === 200) return ok('the service accepts the key with this client_id');
  if (status === 401) {
    return failed(
      `the service refuses the key (401 ${code})`,
      'check that the key belongs to this environment (sandbox or live) and was neither rotated nor revoked; an IP allow-list refuses other addresses in the same way: add the address of this machine in the developer console, or empty the list',
    );
  }
  if (status === 403) {
    return failed(
      `the service refuses the account (403 ${code})`,
      'check that BILLPAY_CLIENT_ID is the one that was issued together with the key, and that the account is in good standing',
    );
  }
  return skipped(`not known: the service responded with ${status} ${code}`, whatNext(status));
}

/** Whether the key may do what purchases need, by a status lookup that finds nothing. */
export function judgeSecretKey(response: Probe): Outcome {
  if (response.kind === 'failure') return warning(`no response (${response.code})`, 'run the doctor again');
  const { status } = response;
  if (status === 404 || status === 200) return ok('is accepted where a secret key is needed');
  if (status === 401 || status === 403) {
    return failed(
      `is refused where a secret key is needed (${status})`,
      'copy the current secret key from the developer console',
    );
  }
  return warning(`not known: the status lookup responded with ${status}`, whatNext(status));
}

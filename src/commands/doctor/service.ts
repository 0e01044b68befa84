import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorEnvelope } from '../../http/rules.js';
import { type ApiCall, ApiError, BillPay, ConfigurationError } from '../../index.js';
import { isError, readProperty } from '../../utils/unknown.js';
import { keyKindOf } from '../../validation/request-options.js';
import { variable } from '../frame.js';
import type { CommandProcess } from '../terminal.js';
import { type Answer, type Finding, failed, ok, skipped, warning } from './finding.js';

/** How a client reaches the service. */
interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
}

const variables = {
  apiKey: 'BILLPAY_API_KEY',
  clientId: 'BILLPAY_CLIENT_ID',
  baseUrl: 'BILLPAY_BASE_URL',
} as const satisfies Record<keyof Credentials, string>;

/** Values of the right form, to check one option of a client at a time. */
const samples: Credentials = {
  apiKey: 'sk_sample',
  clientId: 'sample',
  baseUrl: 'https://service.example/api/v1',
};

/** Whether the credentials are present and of the right kind: the problems, or the credentials. */
export function checkCredentials(
  { env, cwd }: Pick<CommandProcess, 'env' | 'cwd'>,
  envFile: string | undefined,
): { readonly answers: readonly Answer[]; readonly credentials?: Credentials } {
  const names = Object.keys(variables) as (keyof Credentials)[];
  const given = Object.fromEntries(names.map((name) => [name, variable(env, variables[name])]));
  const missing = names.filter((name) => given[name] === undefined).map((name) => variables[name]);
  const hint =
    envFile === undefined && existsSync(join(cwd(), '.env'))
      ? './.env was found, and is not read by itself: run npx billpay doctor --env .env'
      : 'set what is missing, or name the file that sets it with --env';
  const problems = [
    ...(missing.length > 0
      ? [failed(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set: ${hint}`)]
      : []),
    ...names.flatMap((name) => problemOf(name, given[name]) ?? []),
  ];
  if (problems.length > 0) return { answers: problems };
  const credentials = { ...samples, ...given };
  return {
    answers: [ok(`a secret key for the client ${credentials.clientId} at ${credentials.baseUrl}`)],
    credentials,
  };
}

/** What is wrong with the form of one credential, as a client says it. */
function problemOf(name: keyof Credentials, value: string | undefined): Answer | undefined {
  if (value === undefined) return undefined;
  try {
    new BillPay({ ...samples, [name]: value, logLevel: 'off' }).checkConfiguration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return failed(error.message.replace(/^\w+:/, variables[name]));
  }
  return name === 'apiKey' && keyKindOf(value) === 'public'
    ? failed(`${variables.apiKey} is a public key (pk_…), which cannot buy: use the secret key (sk_…)`)
    : undefined;
}

/** A call that cannot charge, and the refusals that show as well as a success that the service accepts the caller. */
interface Trial {
  readonly call: (billpay: BillPay) => ApiCall<unknown>;
  readonly accepted: readonly number[];
}

const trials: readonly Trial[] = [
  { call: (billpay) => billpay.data.products({ biller: 'MTN' }), accepted: [422] },
  // It needs a secret key, as purchases do.
  {
    call: (billpay) => billpay.transactions.status(`billpay-doctor-${crypto.randomUUID()}`),
    accepted: [404],
  },
  // It is a POST, as purchases are.
  {
    call: (billpay) => billpay.tv.validate({ biller: 'DSTV', recipient: '0000000000' }),
    accepted: [422],
  },
];

/** Whether the service answers and accepts the credentials, and whether the clock of this machine agrees with its. */
export async function* checkService(credentials: Credentials): AsyncGenerator<Finding> {
  const billpay = new BillPay({ ...credentials, timeout: 10_000, maxRetries: 0, logLevel: 'off' });
  let service = ok('the service answers and accepts the credentials');
  let clock: Answer | undefined;
  for (const { call, accepted } of trials) {
    const sentAt = Date.now();
    const { headers, error } = await call(billpay)
      .withResponse()
      .then(
        ({ response }) => ({ headers: response.headers, error: undefined }),
        (error: unknown) => ({ headers: error instanceof ApiError ? error.headers : undefined, error }),
      );
    const date = Date.parse(headers?.get('date') ?? '');
    if (!Number.isNaN(date)) clock ??= judgeClock(date, sentAt, Date.now());
    const problem = error === undefined ? undefined : judgeError(error, accepted);
    // A failure counts more than a warning, and the first one of each more than later ones.
    if (problem?.status === 'failed' || service.status === 'ok') service = problem ?? service;
    if (service.status === 'failed') break;
  }
  yield { check: 'service', ...service };
  yield { check: 'clock', ...(clock ?? skipped('the service sent no Date header to compare with')) };
}

/** What an error of a trial means; undefined where the service's own refusal shows that it accepts the caller. */
function judgeError(error: unknown, accepted: readonly number[]): Answer | undefined {
  if (!isError(error)) throw error;
  const message = String(readProperty(error, 'message'));
  // A page of a gateway proves nothing about the key.
  if (!(error instanceof ApiError) || !error.status || !isErrorEnvelope(error.body)) return failed(message);
  const { status } = error;
  if (accepted.includes(status)) return undefined;
  // Under the older prefix /v1 everything but the catalogues still works.
  const isOlderPrefix = status === 404 && accepted.includes(422) && error.operation === 'data.products';
  return isOlderPrefix || status === 429 || status >= 500 ? warning(message) : failed(message);
}

/** Seconds from which a difference of the clocks matters: a webhook may be at most 300 s in the future. */
const skewWarning = 30;
const skewFailure = 300;

/** Compares the clock of this machine with the `Date` header of a response; all times in ms since 1970. */
export function judgeClock(date: number, sentAt: number, receivedAt: number): Answer {
  // The header has whole seconds, and was written at some moment between the request and its response.
  const ahead = sentAt - (date + 1000);
  const behind = date - receivedAt;
  const skew = Math.max(ahead, behind, 0) / 1000;
  if (skew <= skewWarning) return ok("agrees with the service's");
  const message = `the clock of this machine is ${Math.round(skew)} s ${ahead > behind ? 'ahead of' : 'behind'} the service's: synchronise it by NTP, because webhooks are refused when the clocks differ by more than ${skewFailure} s`;
  return skew > skewFailure ? failed(message) : warning(message);
}

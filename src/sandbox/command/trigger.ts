import { CommandError, type ExitCode, exitCodes } from '../../commands/frame.js';
import { type CommandProcess, paintFor } from '../../commands/terminal.js';
import { operations } from '../../contract/operations.js';
import type { Product } from '../../contract/vocabulary.js';
import { didYouMean } from '../../utils/nearest.js';
import { printable } from '../../utils/print.js';
import { readProperty } from '../../utils/unknown.js';
import { slowMs, type TriggerName, triggers } from '../lab/triggers.js';
import type { SettlementOutcome } from '../records/objects.js';
import { hasCatalogue, type SandboxCatalogue } from '../service/catalogue.js';
import type { SandboxCredentials } from '../service/clients.js';
import { currentPrefix } from '../service/request.js';
import { usualPort } from './banner.js';

export interface TriggerOptions {
  readonly product?: Product;
  readonly amount?: number;
  readonly client?: string;
  readonly key?: string;
  readonly url?: string;
  readonly controlToken?: string;
  readonly json?: boolean;
}

type Name = TriggerName | 'success';

/** What is expected of each: the status of the response (undefined: none), and how the transaction then settles. */
const expectations: Readonly<
  Record<Name, { readonly status: number | undefined; readonly settlesAs?: SettlementOutcome }>
> = {
  success: { status: 202, settlesAs: 'success' },
  failed: { status: 202, settlesAs: 'failed' },
  pending: { status: 202 },
  'provider-unavailable': { status: 503 },
  'verification-failed': { status: 422 },
  'response-lost': { status: undefined },
  slow: { status: 202 },
  'server-error': { status: 500 },
  'proxy-page': { status: 502 },
  'queue-unavailable': { status: 503 },
};

const recipients = new Map<string, string>([
  ['success', '08031234567'],
  ...triggers.map(({ name, recipient }) => [name, recipient] as const),
]);

const isName = (text: string): text is Name => recipients.has(text);

/** What a call of each product needs besides the recipient, the amount and what is in the catalogue. */
const ordinaryFields: Readonly<Record<Product, object>> = {
  airtime: { biller: 'MTN' },
  data: {},
  tv: { biller: 'DSTV' },
  electricity: { biller: 'IKEDC', meter_type: 'prepaid' },
  edu: { biller: 'JAMB' },
};

/** The running sandbox. */
class Running {
  readonly #origin: string;
  readonly #token: string | undefined;

  constructor(origin: string, token: string | undefined) {
    this.#origin = origin;
    this.#token = token;
  }

  /** A call of the control API. */
  async control<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const url = `${this.#origin}/_sandbox${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
      () => undefined,
    );
    if (!response) {
      throw new CommandError(
        `no sandbox responds at ${this.#origin}: start one with npx billpay sandbox, or name another with --url`,
      );
    }
    const value: unknown = await response.json().catch(() => undefined);
    // The control API speaks the objects of the code API; each caller names what it reads.
    if (response.ok && value !== undefined) return value as T;
    if (response.status === 401) {
      throw new CommandError(
        `the sandbox at ${this.#origin} needs its control token, which it printed at its start: --control-token TOKEN, or the variable BILLPAY_SANDBOX_TOKEN`,
        exitCodes.failed,
      );
    }
    const detail = readProperty(value, 'detail');
    throw new CommandError(
      typeof detail === 'string'
        ? detail
        : `what responds at ${this.#origin} is not a billpay sandbox of this version (status ${response.status})`,
      exitCodes.failed,
    );
  }

  /** A call of the service, as a client of it: the status and the body; no status where the connection closed. */
  async call(path: string, { clientId, secretKey }: SandboxCredentials, fields: object) {
    const response = await fetch(`${this.#origin}${currentPrefix}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, ...fields }),
    }).catch(() => undefined);
    const body: unknown = await response?.json().catch(() => undefined);
    return { status: response?.status, body };
  }
}

/** What the caller of a request received, in a few words. */
function replyText(status: number | undefined, body: unknown): string {
  if (status === undefined) return 'the connection closed without a response';
  if (body === undefined) return 'an HTML page instead of JSON';
  const [code, message, name] = ['code', 'message', 'customer_name'].map((field) =>
    readProperty(body, field),
  );
  return printable([code, message ?? name].filter(Boolean).join(': '));
}

/** The fields of a call: of a catalogue product, the first one that the sandbox has. */
async function fieldsOf(running: Running, product: Product, amount: number): Promise<object> {
  if (!hasCatalogue(product)) return { ...ordinaryFields[product], amount };
  const catalogue = await running.control<SandboxCatalogue>('GET', '/catalogue');
  for (const [biller, [first]] of Object.entries(catalogue[product] ?? {})) {
    if (first) return { biller, product_code: first.product_code };
  }
  throw new CommandError(`the catalogue of this sandbox has no ${product} product`, exitCodes.failed);
}

/** Makes something happen in a running sandbox; the exit code is 1 where something else happened. */
export async function runTrigger(
  name: string,
  options: TriggerOptions,
  { env, stdout }: CommandProcess,
): Promise<ExitCode> {
  if (!isName(name)) {
    const names = [...recipients.keys()];
    throw new CommandError(
      `there is no trigger ${name}${didYouMean(name, names)}; there are ${names.join(', ')}`,
    );
  }
  const isValidate = name === 'verification-failed';
  const { product = isValidate ? 'tv' : 'airtime', amount = 500 } = options;
  const key = options.key ?? `trigger-${crypto.randomUUID()}`;
  const path = `/${product}/${isValidate ? 'validate' : 'purchase'}`;
  if (!Object.values(operations).some((operation) => operation.path === path)) {
    throw new CommandError(`--product ${product} has no validate call; give tv, electricity or edu`);
  }
  if (options.amount !== undefined && hasCatalogue(product)) {
    throw new CommandError(
      `--amount is for airtime and electricity; the catalogue has the price of ${product}`,
    );
  }
  const given = options.url ?? (env['BILLPAY_SANDBOX_URL'] || `http://127.0.0.1:${usualPort}`);
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw new CommandError(`--url must be the address of a sandbox such as http://127.0.0.1:${usualPort}`);
  }
  // A base address with its path, as a .env file holds it, will do.
  const running = new Running(
    new URL(given).origin,
    options.controlToken ?? (env['BILLPAY_SANDBOX_TOKEN'] || undefined),
  );
  const clients = await running.control<readonly SandboxCredentials[]>('GET', '/clients');
  const client =
    options.client === undefined ? clients[0] : clients.find(({ clientId }) => clientId === options.client);
  if (!client)
    throw new CommandError(`there is no client ${options.client} in this sandbox`, exitCodes.failed);

  const fields = isValidate ? ordinaryFields[product] : await fieldsOf(running, product, amount);
  const request = {
    ...fields,
    recipient: recipients.get(name),
    ...(!isValidate && { idempotency_key: key }),
  };
  const sending = running.call(path, client, request);
  if (name === 'slow') {
    const clock = await running.control<{ readonly kind: string }>('GET', '/clock');
    if (clock.kind === 'manual') await running.control('POST', '/clock/advance', { by: slowMs });
  }
  const { status, body } = await sending;
  const wanted = expectations[name];
  // Where the response says nothing of it, a repeat of the key tells what was bought; it charges nothing more.
  const isUnclear = status === undefined || status === 500 || status === 502;
  const accepted = isUnclear ? (await running.call(path, client, request)).body : body;
  const reference = readProperty(readProperty(accepted, 'data'), 'reference');
  let settled: string | undefined;
  if (typeof reference === 'string' && wanted.settlesAs) {
    settled = await settle(running, reference, wanted.settlesAs);
  }
  const isAsExpected = status === wanted.status && settled === wanted.settlesAs;
  const response = replyText(status, body);
  const paint = paintFor(stdout);
  const lines = [
    `${paint(status === 202 ? 'green' : 'yellow', String(status ?? '---'))} ${path.slice(1)}  ${response}`,
    typeof reference === 'string'
      ? `${reference}  ${settled ?? 'pending'}${isUnclear ? `; the same key returns it: ${key}` : ''}`
      : 'nothing was bought',
    ...(isAsExpected
      ? []
      : [
          paint(
            'red',
            `${name} expects ${wanted.status ?? 'no response'}${wanted.settlesAs ? ` and ${wanted.settlesAs}` : ''}; a key that was used before returns its first transaction`,
          ),
        ]),
  ];
  const result = {
    trigger: name,
    ok: isAsExpected,
    status,
    response,
    idempotencyKey: key,
    reference,
    settled,
  };
  stdout.write(`${options.json ? JSON.stringify(result) : lines.join('\n')}\n`);
  return isAsExpected ? exitCodes.done : exitCodes.failed;
}

/** Settles a transaction now; resolves to its state. One that has settled by itself is left as it is. */
async function settle(running: Running, reference: string, outcome: SettlementOutcome): Promise<string> {
  const path = `/transactions/${encodeURIComponent(reference)}`;
  try {
    return (await running.control<{ status: string }>('POST', `${path}/settle`, { outcome })).status;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { transaction } = await running.control<{ transaction: { status: string } }>('GET', path);
    return transaction.status;
  }
}

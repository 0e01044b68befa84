import { CommandError, type ExitCode, exitCodes } from '../../commands/frame.js';
import { type CommandProcess, type Paint, paintFor } from '../../commands/terminal.js';
import { operations } from '../../contract/operations.js';
import type { Product } from '../../contract/vocabulary.js';
import { didYouMean } from '../../utils/nearest.js';
import { printable } from '../../utils/print.js';
import { readProperty } from '../../utils/unknown.js';
import { type ControlClient, ControlError, createControlClient } from '../control/client.js';
import type { Clock, TransactionDetail } from '../control/types.js';
import { slowMs, type TriggerName, triggers } from '../lab/triggers.js';
import type { SandboxTransaction, SettlementOutcome } from '../records/objects.js';
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

/** The running sandbox, and where it is. */
interface Running {
  readonly origin: string;
  readonly control: ControlClient;
}

/** A call of the service, as a client of it: the status and the body; no status where the connection closed. */
async function call({ origin }: Running, path: string, client: SandboxCredentials, fields: object) {
  const response = await fetch(`${origin}${currentPrefix}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: client.clientId, ...fields }),
  }).catch(() => undefined);
  const body: unknown = await response?.json().catch(() => undefined);
  return { status: response?.status, body };
}

/** Why the control API could not be used, and what to do about it. */
function controlProblem(error: unknown, origin: string): unknown {
  if (!(error instanceof ControlError)) return error;
  if (error.status === 0)
    return new CommandError(
      `no sandbox responds at ${origin}: start one with npx billpay sandbox, or name another with --url`,
    );
  const problem =
    error.status === 401
      ? 'the sandbox needs its control token, which it printed at its start: --control-token TOKEN, or the variable BILLPAY_SANDBOX_TOKEN'
      : error.message;
  return new CommandError(`${origin}: ${problem}`, exitCodes.failed);
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

/** The call that a trigger is made of, as the options say. */
interface TriggerCall {
  readonly name: Name;
  readonly product: Product;
  readonly path: string;
  /** Undefined for a validate call, which has none. */
  readonly key: string | undefined;
}

function callOf(name: string, { product: asked, amount, key }: TriggerOptions): TriggerCall {
  if (!isName(name)) {
    const names = [...recipients.keys()];
    throw new CommandError(
      `there is no trigger ${name}${didYouMean(name, names)}; there are ${names.join(', ')}`,
    );
  }
  const isValidate = name === 'verification-failed';
  const product = asked ?? (isValidate ? 'tv' : 'airtime');
  const path = `/${product}/${isValidate ? 'validate' : 'purchase'}`;
  if (!Object.values(operations).some((operation) => operation.path === path)) {
    throw new CommandError(`--product ${product} has no validate call; give tv, electricity or edu`);
  }
  if (amount !== undefined && hasCatalogue(product)) {
    throw new CommandError(
      `--amount is for airtime and electricity; the catalogue has the price of ${product}`,
    );
  }
  return { name, product, path, key: isValidate ? undefined : (key ?? `trigger-${crypto.randomUUID()}`) };
}

/** The fields of a call: of a catalogue product, the first one that the sandbox has. */
async function fieldsOf(
  { control }: Running,
  { product, key, name }: TriggerCall,
  amount: number,
): Promise<object> {
  const recipient = recipients.get(name);
  if (key === undefined) return { ...ordinaryFields[product], recipient };
  const bought = { recipient, idempotency_key: key };
  if (!hasCatalogue(product)) return { ...ordinaryFields[product], amount, ...bought };
  const catalogue = await control.get<SandboxCatalogue>('/catalogue');
  for (const [biller, [first]] of Object.entries(catalogue[product] ?? {})) {
    if (first) return { biller, product_code: first.product_code, ...bought };
  }
  throw new CommandError(`the catalogue of this sandbox has no ${product} product`, exitCodes.failed);
}

/** Makes something happen in a running sandbox; the exit code is 1 where something else happened. */
export async function runTrigger(
  name: string,
  options: TriggerOptions,
  { env, stdout }: CommandProcess,
): Promise<ExitCode> {
  const trigger = callOf(name, options);
  const given = options.url ?? (env['BILLPAY_SANDBOX_URL'] || `http://127.0.0.1:${usualPort}`);
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw new CommandError(`--url must be the address of a sandbox such as http://127.0.0.1:${usualPort}`);
  }
  // A base address with its path, as a .env file holds it, will do.
  const { origin } = new URL(given);
  const token = options.controlToken ?? (env['BILLPAY_SANDBOX_TOKEN'] || undefined);
  const running = { origin, control: createControlClient({ origin, token: () => token }) };
  const outcome = await outcomeOf(running, trigger, options).catch((error: unknown) => {
    throw controlProblem(error, origin);
  });
  const text = options.json
    ? JSON.stringify({ trigger: name, ...outcome, idempotencyKey: trigger.key })
    : outcomeLines(trigger, outcome, paintFor(stdout)).join('\n');
  stdout.write(`${text}\n`);
  return outcome.ok ? exitCodes.done : exitCodes.failed;
}

/** What came of a trigger. */
interface Outcome {
  /** Whether it is what the trigger is for. */
  readonly ok: boolean;
  readonly status: number | undefined;
  readonly response: string;
  readonly reference: string | undefined;
  readonly settled: string | undefined;
}

async function outcomeOf(running: Running, trigger: TriggerCall, options: TriggerOptions): Promise<Outcome> {
  const { control } = running;
  const { name, path } = trigger;
  const clients = await control.get<readonly SandboxCredentials[]>('/clients');
  const client =
    options.client === undefined ? clients[0] : clients.find(({ clientId }) => clientId === options.client);
  if (!client)
    throw new CommandError(`there is no client ${options.client} in this sandbox`, exitCodes.failed);
  const fields = await fieldsOf(running, trigger, options.amount ?? 500);
  const sending = call(running, path, client, fields);
  if (name === 'slow' && (await control.get<Clock>('/clock')).kind === 'manual') {
    await control.post('/clock/advance', { by: slowMs });
  }
  const { status, body } = await sending;
  // Where the response says nothing of it, a repeat of the key tells what was bought; it charges nothing more.
  const accepted = isUnclear(status) ? (await call(running, path, client, fields)).body : body;
  const found = readProperty(readProperty(accepted, 'data'), 'reference');
  const reference = typeof found === 'string' ? found : undefined;
  const wanted = expectations[name];
  const settled =
    reference === undefined || wanted.settlesAs === undefined
      ? undefined
      : await settle(control, reference, wanted.settlesAs);
  const ok = status === wanted.status && settled === wanted.settlesAs;
  return { ok, status, response: replyText(status, body), reference, settled };
}

const isUnclear = (status: number | undefined): boolean =>
  status === undefined || status === 500 || status === 502;

function outcomeLines({ name, path, key }: TriggerCall, outcome: Outcome, paint: Paint): readonly string[] {
  const { ok, status, response, reference, settled } = outcome;
  const { status: wanted = 'no response', settlesAs } = expectations[name];
  const expected = `${wanted}${settlesAs ? ` and ${settlesAs}` : ''}`;
  return [
    `${paint(status === 202 ? 'green' : 'yellow', String(status ?? '---'))} ${path.slice(1)}  ${response}`,
    reference === undefined
      ? 'nothing was bought'
      : `${reference}  ${settled ?? 'pending'}${isUnclear(status) ? `; the same key returns it: ${key}` : ''}`,
    ...(ok
      ? []
      : [
          paint(
            'red',
            `${name} expects ${expected}; a key that was used before returns its first transaction`,
          ),
        ]),
  ];
}

/** Settles a transaction now; resolves to its state. One that has settled by itself is left as it is. */
async function settle(
  control: ControlClient,
  reference: string,
  outcome: SettlementOutcome,
): Promise<string> {
  const path = `/transactions/${encodeURIComponent(reference)}`;
  try {
    return (await control.post<SandboxTransaction>(`${path}/settle`, { outcome })).status;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return (await control.get<TransactionDetail>(path)).transaction.status;
  }
}

import { anyText, naira, takeArguments, wordOf } from '../../../cli/flags.js';
import { CommandError, exitCodes, UsageError } from '../../../cli/program.js';
import { type Product, products } from '../../../contract/vocabulary.js';
import { isRecord } from '../../../utils/is-record.js';
import { didYouMean } from '../../../utils/nearest.js';
import type { Received, requestDetail } from '../../control/resources.js';
import { slowMs, type TriggerName, triggers } from '../../lab/triggers.js';
import { hasCatalogue, type SandboxCatalogue } from '../../rules/catalogue.js';
import { isOperationName } from '../../rules/routes.js';
import type { SettlementOutcome } from '../../rules/settlement.js';
import type { ControlClient } from '../control-client.js';
import { requestLabel } from '../lines.js';
import { settleTransaction, type Transaction, transactionLines } from './settle.js';
import { subcommandRunner } from './subcommand.js';

const flags = {
  product: {
    value: 'NAME',
    schema: wordOf(products),
    help: 'airtime, data, tv, electricity or edu (default: airtime)',
  },
  amount: { value: 'NGN', schema: naira, help: 'For airtime and electricity (default: 500)' },
  client: { value: 'ID', schema: anyText, help: 'The client that buys (default: the default client)' },
  key: {
    value: 'KEY',
    schema: anyText,
    help: 'The idempotency key (default: a new one); the same one again repeats the transaction',
  },
} as const;

type Name = TriggerName | 'success';

/** What is expected of each: the status of the response (null: none), and how the transaction then settles. */
const expectations: Readonly<
  Record<Name, { readonly status: number | null; readonly settlesAs?: SettlementOutcome }>
> = {
  success: { status: 202, settlesAs: 'success' },
  failed: { status: 202, settlesAs: 'failed' },
  pending: { status: 202 },
  'provider-unavailable': { status: 503 },
  'verification-failed': { status: 422 },
  'response-lost': { status: null },
  slow: { status: 202 },
  'server-error': { status: 500 },
  'proxy-page': { status: 502 },
  'queue-unavailable': { status: 503 },
};

const recipients = new Map<string, string>([
  ['success', '08031234567'],
  ...triggers.map(({ name, recipient }) => [name, recipient] as const),
]);

const isName = (text: string | undefined): text is Name => text !== undefined && recipients.has(text);

/** What a call of each product needs besides the recipient, the amount and what is in the catalogue. */
const ordinaryFields: Readonly<Record<Product, object>> = {
  airtime: { biller: 'MTN' },
  data: {},
  tv: { biller: 'DSTV' },
  electricity: { biller: 'IKEDC', meter_type: 'prepaid' },
  edu: { biller: 'JAMB' },
};

/** The fields of a purchase: of a catalogue product, the first one that the sandbox has. */
async function purchaseOf(control: ControlClient, product: Product, amount: number): Promise<object> {
  if (!hasCatalogue(product)) return { ...ordinaryFields[product], amount };
  const catalogue = await control.send<SandboxCatalogue>('GET', '/catalogue');
  for (const [biller, [first]] of Object.entries(catalogue[product] ?? {})) {
    if (first) return { biller, product_code: first.product_code };
  }
  throw new CommandError(exitCodes.failed, `the catalogue of this sandbox has no ${product} product`);
}

type SentRequest = Received<typeof requestDetail>;

/** The status that the caller of a request received; null where the connection closed without a response. */
const statusOf = ({ outcome, response }: SentRequest): number | null =>
  outcome === 'closed' || !response ? null : response.status;

/** What the caller of a request received, in a few words. */
function replyText(sent: SentRequest): string {
  if (statusOf(sent) === null) return 'the connection closed without a response';
  const body = sent.response?.body;
  if (!isRecord(body)) return 'an HTML page instead of JSON';
  return [body['code'], body['message'] ?? body['customer_name']].filter(Boolean).join(': ');
}

/** Why the exit code is 1; undefined where it is 0. */
function surprise(
  name: Name,
  status: number | null,
  state: Transaction['state'] | undefined,
): string | undefined {
  const wanted = expectations[name];
  const statusWords = (code: number | null) => (code === null ? 'no response' : `a ${code}`);
  if (status !== wanted.status) {
    return `${name} expects ${statusWords(wanted.status)}, and got ${statusWords(status)}`;
  }
  if (!wanted.settlesAs || state === wanted.settlesAs) return undefined;
  return `${name} expects a transaction that settles as ${wanted.settlesAs}, and it is ${state ?? 'not there'}`;
}

const repeatedKey = ': a key that was used before returns its first transaction, so give another --key';

export const runCommand = subcommandRunner({
  name: 'sandbox trigger',
  usage: 'NAME',
  description: [
    'Makes something happen in a running sandbox: sends one request as a client of the service, settles the transaction where the name says so, and prints the response, the transaction and its webhook. The names are:',
  ],
  table: [
    ['success', 'Accepted; settles as success.'],
    ...triggers.map(({ name, description }) => [name, description] as const),
  ],
  flags,
  examples: [
    'sandbox trigger failed',
    'sandbox trigger success --product electricity',
    'sandbox trigger response-lost --key order-7',
    'sandbox trigger verification-failed --product tv',
  ],
  run: async ({ given, positionals, control, paint }) => {
    const [name] = takeArguments({ positionals }, 'a NAME');
    if (!isName(name)) {
      throw new UsageError(
        `knows no trigger ${name}${didYouMean(String(name), [...recipients.keys()])}; it knows ${[...recipients.keys()].join(', ')}`,
      );
    }
    const isValidate = name === 'verification-failed';
    const {
      product = isValidate ? 'tv' : 'airtime',
      amount = 500,
      client,
      key = `trigger-${crypto.randomUUID()}`,
    } = given;
    const operation = `${product}.${isValidate ? 'validate' : 'purchase'}`;
    if (!isOperationName(operation)) {
      throw new UsageError(`--product ${product} has no validate call; give tv, electricity or edu`);
    }
    if (given.amount !== undefined && hasCatalogue(product)) {
      throw new UsageError(
        `--amount is for airtime and electricity; the catalogue has the price of ${product}`,
      );
    }
    if (client !== undefined) await control.send('GET', `/clients/${encodeURIComponent(client)}`);
    const fields = isValidate
      ? ordinaryFields[product]
      : { ...(await purchaseOf(control, product, amount)), idempotency_key: key };
    const sending = control.send<SentRequest>('POST', '/requests', {
      operation,
      client_id: client,
      params: { recipient: recipients.get(name), ...fields },
    });
    if (name === 'slow' && (await control.send<{ kind: string }>('GET', '/clock')).kind === 'manual') {
      await control.send('POST', '/clock/advance', { by: slowMs });
    }
    const sent = await sending;
    const [status, response] = [statusOf(sent), replyText(sent)];
    let transaction =
      sent.reference === null
        ? undefined
        : await control.send<Transaction>('GET', `/transactions/${sent.reference}`);
    const { settlesAs } = expectations[name];
    if (transaction?.state === 'pending' && settlesAs) {
      transaction = await settleTransaction(control, transaction.reference, settlesAs);
    }
    const problem = surprise(name, status, transaction?.state);
    const ok = problem === undefined;
    const shown = paint(status === 202 ? 'green' : 'yellow', String(status ?? '---'));
    return {
      value: { trigger: name, ok, status, response, idempotency_key: key, transaction },
      lines: [
        `${shown} ${requestLabel(sent)}  ${response.replace(/^PROCESSING: /, '')}`,
        ...(transaction ? transactionLines(transaction) : ['nothing was bought']),
        ...(transaction && status !== 202 ? [`the same key returns it: ${key}`] : []),
        ...(ok ? [] : [paint('red', `${problem}${given.key === undefined ? '' : repeatedKey}`)]),
      ],
      ok,
    };
  },
});

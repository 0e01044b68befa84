import { anyText, naira, takeArguments, wordOf } from '../../../cli/flags.js';
import { CommandError, exitCodes, UsageError } from '../../../cli/program.js';
import { type Product, products } from '../../../contract/vocabulary.js';
import { isRecord } from '../../../utils/is-record.js';
import { didYouMean } from '../../../utils/nearest.js';
import type { Received, requestDetail } from '../../control/resources.js';
import { slowMs, type TriggerName, triggers } from '../../lab/triggers.js';
import type { SandboxCatalogue } from '../../rules/catalogue.js';
import type { SettlementOutcome } from '../../rules/settlement.js';
import type { ControlClient } from '../control-client.js';
import { settleTransaction, type Transaction, transactionLines } from './settle.js';
import type { Subcommand } from './subcommand.js';

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

/** What is expected of each: the status of the response (undefined: none), and how the transaction then settles. */
const expectations: Readonly<
  Record<Name, { readonly status?: number; readonly settlesAs?: SettlementOutcome }>
> = {
  success: { status: 202, settlesAs: 'success' },
  failed: { status: 202, settlesAs: 'failed' },
  pending: { status: 202 },
  'provider-unavailable': { status: 503 },
  'verification-failed': { status: 422 },
  'response-lost': {},
  slow: { status: 202 },
  'server-error': { status: 500 },
  'proxy-page': { status: 502 },
  'queue-unavailable': { status: 503 },
};

const ordinaryRecipient = '08031234567';
const recipients = new Map<string, string>([
  ['success', ordinaryRecipient],
  ...triggers.map(({ name, recipient }) => [name, recipient] as const),
]);

const isName = (text: string | undefined): text is Name => text !== undefined && recipients.has(text);

/** Products that have a validate call, with what it needs besides the recipient. */
const validateFields: Readonly<Partial<Record<Product, object>>> = {
  tv: { biller: 'DSTV' },
  electricity: { biller: 'IKEDC', meter_type: 'prepaid' },
  edu: { biller: 'JAMB' },
};

/** The first product of the catalogue that the sandbox has. */
function catalogueOrder(catalogue: SandboxCatalogue, family: 'data' | 'tv' | 'edu'): object {
  for (const [biller, products] of Object.entries(catalogue[family] ?? {})) {
    const [product] = products;
    if (product) return { biller, product_code: product.product_code };
  }
  throw new CommandError(exitCodes.failed, `the catalogue of this sandbox has no ${family} product`);
}

async function orderOf(control: ControlClient, product: Product, amount: number): Promise<object> {
  switch (product) {
    case 'airtime':
      return { biller: 'MTN', amount };
    case 'electricity':
      return { biller: 'IKEDC', meter_type: 'prepaid', amount };
    default:
      return catalogueOrder(await control.send<SandboxCatalogue>('GET', '/catalogue'), product);
  }
}

function productFor(name: Name, given: Product | undefined): Product {
  const product = given ?? (name === 'verification-failed' ? 'tv' : 'airtime');
  if (name === 'verification-failed' && !validateFields[product]) {
    throw new UsageError(`--product ${product} has no validate call; give tv, electricity or edu`);
  }
  return product;
}

interface Reply {
  /** Undefined where the connection closed without a response. */
  readonly status: number | undefined;
  /** What the service says, in a few words. */
  readonly text: string;
}

/** What the caller of a request received. */
function replyTo({ outcome, response }: Received<typeof requestDetail>): Reply {
  if (outcome === 'closed' || !response) {
    return { status: undefined, text: 'the connection closed without a response' };
  }
  const { status, body } = response;
  if (!isRecord(body)) return { status, text: 'an HTML page instead of JSON' };
  return {
    status,
    text: [body['code'], body['message'] ?? body['customer_name']].filter(Boolean).join(': '),
  };
}

/** Why the exit code is 1. */
function unexpected(
  name: Name,
  { status }: Reply,
  transaction: Transaction | undefined,
  keyWasGiven: boolean,
): string {
  const wanted = expectations[name];
  const statusWords = (code: number | undefined) => (code === undefined ? 'no response' : `a ${code}`);
  const what =
    status === wanted.status
      ? `a transaction that settles as ${wanted.settlesAs}, and it is ${transaction?.state ?? 'not there'}`
      : `${statusWords(wanted.status)}, and got ${statusWords(status)}`;
  const why = keyWasGiven
    ? ': a key that was used before returns its first transaction, so give another --key'
    : '';
  return `${name} expects ${what}${why}`;
}

export const subcommand: Subcommand<typeof flags> = {
  usage: 'trigger NAME',
  description: [
    'Makes something happen in a running sandbox: sends one request as a client of the service, settles the transaction where the name says so, and prints the response, the transaction and its webhook. The names are:',
  ],
  table: [
    ['success', 'Accepted; settles as success.'],
    ...triggers.map(({ name, description }) => [name, description] as const),
  ],
  flags,
  examples: [
    'trigger failed',
    'trigger success --product electricity',
    'trigger response-lost --key order-7',
    'trigger verification-failed --product tv',
  ],
  run: async ({ args, control, paint }) => {
    const [name] = takeArguments(args, 'a NAME');
    if (!isName(name)) {
      throw new UsageError(
        `knows no trigger ${name}${didYouMean(String(name), [...recipients.keys()])}; it knows ${[...recipients.keys()].join(', ')}`,
      );
    }
    const { given } = args;
    const { amount = 500 } = given;
    const product = productFor(name, given.product);
    const key = given.key ?? `trigger-${crypto.randomUUID()}`;
    const isValidate = name === 'verification-failed';
    if (given.client !== undefined) {
      await control.send('GET', `/clients/${encodeURIComponent(given.client)}`);
    }
    const sending = control.send<Received<typeof requestDetail>>('POST', '/requests', {
      operation: `${product}.${isValidate ? 'validate' : 'purchase'}`,
      ...(given.client !== undefined && { client_id: given.client }),
      params: {
        recipient: recipients.get(name),
        ...(isValidate
          ? validateFields[product]
          : { ...(await orderOf(control, product, amount)), idempotency_key: key }),
      },
    });
    if (name === 'slow' && (await control.send<{ kind: string }>('GET', '/clock')).kind === 'manual') {
      await control.send('POST', '/clock/advance', { by: slowMs });
    }
    const sent = await sending;
    const reply = replyTo(sent);
    const expected = expectations[name];
    let transaction =
      sent.reference === null
        ? undefined
        : await control.send<Transaction>('GET', `/transactions/${sent.reference}`);
    if (transaction?.state === 'pending' && expected.settlesAs) {
      transaction = await settleTransaction(control, transaction.reference, expected.settlesAs);
    }
    const asExpected =
      reply.status === expected.status && (!expected.settlesAs || transaction?.state === expected.settlesAs);
    const { status = null, text } = reply;
    const shown = paint(status === 202 ? 'green' : 'yellow', String(status ?? '---'));
    return {
      value: {
        trigger: name,
        ok: asExpected,
        status,
        response: text,
        idempotency_key: key,
        transaction,
      },
      lines: [
        `${shown} POST ${sent.path}  ${text}`,
        ...(transaction ? transactionLines(transaction) : ['nothing was bought']),
        ...(transaction && status !== 202 ? [`the same key returns this transaction: ${key}`] : []),
        ...(asExpected ? [] : [paint('red', unexpected(name, reply, transaction, given.key !== undefined))]),
      ],
      ok: asExpected,
    };
  },
};

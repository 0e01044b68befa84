/**
 * The main job from end to end: `npm run quickstart`.
 *
 * Against the sandbox (the default): catalogues, validation, a purchase of each of the five products, a purchase that fails and is refunded, a
 * lost response whose purchase is resumed under the same key, verified webhooks, settlement, and a wallet statement that adds up.
 *
 * With BILLPAY_BASE_URL, BILLPAY_API_KEY and BILLPAY_CLIENT_ID set it runs against that environment instead, and buys only the smallest
 * airtime, after a notice, and only with `--yes`.
 */
import { BillPay, type Catalogue, isBillPayError, type Purchase, type Transaction } from 'billpay';
import { createSandbox, triggers } from 'billpay/sandbox';
import { runLive } from './quickstart/live.js';
import { headline, masked, naira, say, styled, table } from './quickstart/print.js';
import { startReceiver } from './quickstart/receiver.js';

/** A purchase and the product that it is for. */
interface Bought {
  readonly product: string;
  readonly purchase: Purchase;
}

const startedAt = performance.now();

const cheapest = ({ products }: Catalogue) => [...products].sort((a, b) => a.amount - b.amount)[0];

async function runSandbox(): Promise<number> {
  const sandbox = createSandbox({ settleAfter: 800, balance: 50_000 });
  const { baseUrl, connection, close } = await sandbox.listen();
  const receiver = await startReceiver();
  const billpay = new BillPay(connection);

  headline('billpay quickstart: the whole job on this machine');
  say(`service   ${baseUrl}`);
  say(`webhooks  ${receiver.url}`);

  const subscription = await billpay.webhooks.subscribe({ url: receiver.url });
  receiver.useSecret(subscription.secret);
  say(`subscribed; the one-time secret is stored (${masked(subscription.secret)})`);

  headline('Check before you sell');
  const bundles = await billpay.data.products({ biller: 'MTN' });
  const packages = await billpay.tv.products({ biller: 'DSTV' });
  const pins = await billpay.edu.products({ biller: 'WAEC' });
  const [bundle, tvPackage, pin] = [bundles, packages, pins].map(cheapest);
  if (!bundle || !tvPackage || !pin) throw new Error('a catalogue is empty');
  say(`MTN sells ${bundles.products.length} bundles, such as ${bundle.name} for ${naira(bundle.amount)} NGN`);
  const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;
  const card = { biller: 'DSTV', recipient: '02110144711' };
  const owner = await billpay.electricity.validate(meter);
  say(`meter ${meter.recipient} belongs to ${owner.customer_name}, ${owner.address}`);
  const viewer = await billpay.tv.validate(card);
  say(`smartcard ${card.recipient} belongs to ${viewer.customer_name}`);

  headline('Sell');
  const phone = '08031234567';
  const failing = triggers.find(({ effect }) => effect === 'settles as failed')?.recipient ?? '';
  const bought: Bought[] = [
    {
      product: 'airtime MTN',
      purchase: await billpay.airtime.purchase({
        biller: 'MTN',
        recipient: phone,
        amount: 500,
        idempotency_key: 'order-1',
      }),
    },
    {
      product: `data ${bundle.name}`,
      purchase: await billpay.data.purchase({
        biller: 'MTN',
        recipient: phone,
        product_code: bundle.product_code,
        idempotency_key: 'order-2',
      }),
    },
    {
      product: `tv ${tvPackage.name}`,
      purchase: await billpay.tv.purchase({
        ...card,
        product_code: tvPackage.product_code,
        customer_phone: phone,
        idempotency_key: 'order-3',
      }),
    },
    {
      product: 'electricity IKEDC',
      purchase: await billpay.electricity.purchase({
        ...meter,
        amount: 3000,
        customer_phone: phone,
        idempotency_key: 'order-4',
      }),
    },
    {
      product: `edu ${pin.name}`,
      purchase: await billpay.edu.purchase({
        biller: 'WAEC',
        recipient: phone,
        product_code: pin.product_code,
        idempotency_key: 'order-5',
      }),
    },
    {
      product: 'airtime GLO, fails',
      purchase: await billpay.airtime.purchase({
        biller: 'GLO',
        recipient: failing,
        amount: 200,
        idempotency_key: 'order-6',
      }),
    },
  ];
  say(`${bought.length} purchases accepted and debited, none delivered yet`);

  headline('Lose a response, and resume the purchase');
  const lost = { biller: 'AIRTEL', recipient: '08021234567', amount: 1000, idempotency_key: 'order-7' };
  sandbox.faults.add({ operation: 'airtime.purchase', when: 'after', connection: 'close' });
  // The client would repeat the request by itself. Retries are off, so that the error can be shown.
  const error: unknown = await billpay.airtime.purchase(lost, { maxRetries: 0 }).catch((reason) => reason);
  if (!isBillPayError(error)) throw new Error('the lost response did not fail the call');
  say(
    `${styled('yellow', error.name)}: mayHaveCharged ${error.mayHaveCharged}, idempotencyKey ${error.idempotencyKey}`,
  );
  const resumed = await billpay.airtime.purchase(lost, { resume: true });
  const charges = sandbox
    .wallet()
    .ledger.filter(
      ({ kind, idempotency_key }) => kind === 'debit' && idempotency_key === lost.idempotency_key,
    );
  say(
    `resumed with the same key: ${resumed.reference}, charged ${charges.length === 1 ? 'once' : `${charges.length} times`}`,
  );
  bought.push({ product: 'airtime AIRTEL, resumed', purchase: resumed });

  headline('Settle');
  const settled = await Promise.all(
    bought.map(({ purchase }) =>
      billpay.transactions.waitUntilSettled(purchase.reference, { interval: 500, timeout: 8000 }),
    ),
  );
  // Every webhook has been delivered as well.
  await sandbox.idle();
  console.log(tableOf(bought, settled, receiver.received));

  headline('Wallet');
  const adds = printStatement(sandbox.wallet().ledger, sandbox.wallet().balance);
  const audit = sandbox.audit();

  const checks: readonly [string, boolean][] = [
    [
      'every webhook was received and verified',
      receiver.refused === 0 && new Set(receiver.received).size === bought.length,
    ],
    ['the purchase with the lost response was resumed without a second charge', charges.length === 1],
    [
      'the failed purchase was refunded, and only that one',
      settled.filter(({ refunded }) => refunded).length === 1,
    ],
    ['the statement adds up, and the audit of the sandbox agrees', adds && audit.ok],
  ];
  headline('Result');
  for (const [what, held] of checks) say(`${held ? styled('green', '✓') : styled('red', '✗ NOT:')} ${what}`);
  say(styled('dim', `in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`));

  receiver.close();
  await close();
  await sandbox.close();
  return checks.every(([, held]) => held) ? 0 : 1;
}

function tableOf(
  bought: readonly Bought[],
  settled: readonly Transaction[],
  received: readonly string[],
): string {
  const rows = bought.map(({ product, purchase }, at) => {
    const transaction = settled[at];
    const outcome = transaction?.refunded
      ? 'failed, refunded'
      : (transaction?.transaction_status ?? 'unknown');
    return [
      purchase.reference,
      product,
      naira(purchase.amount),
      outcome,
      masked(transaction?.token ?? null),
      received.includes(purchase.reference) ? 'webhook' : 'status lookup',
    ];
  });
  return table(
    [
      { title: 'reference', style: () => 'dim' },
      { title: 'product' },
      { title: 'NGN', right: true },
      {
        title: 'outcome',
        style: (text) => (text === 'success' ? 'green' : text === 'outcome' ? undefined : 'yellow'),
      },
      { title: 'token' },
      { title: 'learned by' },
    ],
    rows,
  );
}

/** Prints the ledger and adds it up in kobo; returns whether the sum is the wallet's balance. */
function printStatement(
  ledger: ReturnType<ReturnType<typeof createSandbox>['wallet']>['ledger'],
  balance: number,
): boolean {
  let kobo = 0;
  const rows = ledger.map(({ kind, amount, reference, idempotency_key }) => {
    const signed = kind === 'debit' ? -amount : amount;
    kobo += Math.round(signed * 100);
    return [kind, idempotency_key ?? '', reference ?? '', naira(signed), naira(kobo / 100)];
  });
  console.log(
    table(
      [
        { title: 'entry', style: (text) => (text === 'refund' ? 'yellow' : undefined) },
        { title: 'key' },
        { title: 'reference', style: () => 'dim' },
        { title: 'NGN', right: true },
        { title: 'balance', right: true },
      ],
      rows,
    ),
  );
  say(`balance ${naira(balance)} NGN`);
  return kobo === Math.round(balance * 100);
}

const isLive = ['BILLPAY_BASE_URL', 'BILLPAY_API_KEY', 'BILLPAY_CLIENT_ID'].every(
  (name) => process.env[name],
);
process.exitCode = isLive ? await runLive(process.argv.includes('--yes')) : await runSandbox();

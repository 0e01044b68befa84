import { parse } from 'csv-parse/sync';
import { BillPay, ServerError, type Transaction } from '../../../src/index.js';
import {
  createOrders,
  type OrderChange,
  type OrderInput,
  type OrderStore,
  type Orders,
  type ReconcileFindingKind,
  type ReconcileOptions,
  type ReconcileReport,
  statementRows,
} from '../../../src/orders/index.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';

/** What is made wrong about one sale that is otherwise right. */
export const plants = [
  'nothing',
  'unsettled',
  'state',
  'amount',
  'commission',
  'refund',
  'refund-outstanding',
  'refused-but-charged',
  'unknown-reference',
  'lookup-failed',
  'debit-missing',
  'debit-repeated',
  'debit-amount',
  'credit-missing',
  'credit-repeated',
  'credit-amount',
  'credit-unexpected',
  'bought-elsewhere',
] as const;

export type Plant = (typeof plants)[number];

/** One sale, and what is wrong about it. */
export interface PlannedSale {
  readonly plant: Plant;
  readonly fails: boolean;
  /** NGN, with kobo. */
  readonly amount: number;
}

/** What only a sale that failed, or only one that was delivered, can have. */
const needsFailure: readonly Plant[] = [
  'refund-outstanding',
  'credit-missing',
  'credit-repeated',
  'credit-amount',
];
const needsSuccess: readonly Plant[] = [
  'state',
  'refund',
  'commission',
  'refused-but-charged',
  'credit-unexpected',
];

const hasFailed = ({ plant, fails }: PlannedSale): boolean =>
  needsFailure.includes(plant) || (fails && !needsSuccess.includes(plant));

/** A row of the sandbox's wallet as CSV. */
type CsvRow = Record<'at' | 'kind' | 'amount' | 'balance' | 'reference' | 'idempotency_key', string>;

const billers = ['MTN', 'AIRTEL', 'GLO', '9MOBILE'] as const;
const secret = 'whsec_0123456789abcdef0123456789abcdef';
const product = 'airtime';

/** A finding as it is compared: its kind, and its order or reference. */
export type Expected = readonly [kind: ReconcileFindingKind, about: string];

/** A shop with sales of which some are wrong, on a sandbox. */
export interface PlantedBooks {
  readonly orders: Orders<unknown>;
  readonly expected: readonly Expected[];
  /** NGN that should remain in the wallet. */
  readonly expectedBalance: number;
  /** The wallet's statement as CSV, with what was planted in it. */
  readonly statement: () => ReturnType<typeof statementRows>;
  reconcile(options?: Partial<ReconcileOptions>): Promise<ReconcileReport>;
  close(): Promise<void>;
}

const kobo = (naira: number): number => Math.round(naira * 100);
const oneKoboMore = (naira: number): number => (kobo(naira) + 1) / 100;

/** Sells, settles by webhooks, and then makes wrong what was planned. */
export async function plantBooks<Client>(
  sales: readonly PlannedSale[],
  openStore: (now: () => number) => OrderStore<Client>,
  onSold: (sold: number) => void = () => {},
): Promise<PlantedBooks> {
  const sandbox = createSandbox({
    clock: 'manual',
    startAt: '2026-03-14T08:00:00Z',
    settleAfter: 'manual',
    balance: 1_000_000_000,
  });
  const now = () => sandbox.now.getTime();
  const { clientId, secretKey: apiKey } = sandbox.credentials;
  const billpay = new BillPay({ apiKey, clientId, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });
  const down = new Set<string>();
  const withoutRefund = new Set<string>();
  const store = openStore(now);
  const orders = createOrders<Client>({
    billpay: {
      purchase: (item, options) => billpay.purchase(item, options),
      transactions: {
        status: async (reference, options): Promise<Transaction> => {
          if (down.has(reference))
            throw new ServerError('the service is down', { status: 500, code: 'GATEWAY_ERROR' });
          const transaction = await billpay.transactions.status(reference, options);
          return withoutRefund.has(reference) ? { ...transaction, refunded: false } : transaction;
        },
      },
    },
    store,
  });
  const handler = orders.webhookHandler({ secret, now });
  sandbox.webhooks.subscribe({ secret, handler });

  const planned = sales.map((sale, at) => ({ ...sale, id: `order-${at}`, failed: hasFailed(sale) }));
  const references = new Map<string, string>();
  for (const [at, { id, amount, plant }] of planned.entries()) {
    const params = { biller: billers[at % billers.length] ?? 'MTN', recipient: '08031234567', amount };
    if (plant === 'bought-elsewhere') {
      const { reference } = await billpay.airtime.purchase({ ...params, idempotency_key: id });
      references.set(id, reference);
    } else {
      await orders.place({ id, product, params } as OrderInput);
      const { reference } = await orders.buy(id);
      references.set(id, reference ?? '');
    }
    onSold(at + 1);
  }
  const referenceOf = (id: string) => references.get(id) ?? '';
  const settle = async (which: (plant: Plant) => boolean) => {
    for (const { id, plant, failed } of planned)
      if (which(plant)) await sandbox.settle(referenceOf(id), failed ? 'failed' : 'success');
  };
  await settle((plant) => plant !== 'unsettled');
  sandbox.webhooks.subscribe({ secret, enabled: false, handler });
  await settle((plant) => plant === 'unsettled');

  const change = async (id: string, changes: (order: { amountCharged: number }) => OrderChange) => {
    const order = await store.find(id);
    if (!order) throw new Error(`${id} is missing`);
    const { state, attempt, amountCharged = 0 } = order;
    await store.update({ id, state, attempt }, changes({ amountCharged }), undefined);
  };
  for (const { id, plant, amount } of planned) {
    const reference = referenceOf(id);
    if (plant === 'state') await change(id, () => ({ state: 'failed', refunded: true }));
    if (plant === 'amount')
      await change(id, ({ amountCharged }) => ({ amountCharged: oneKoboMore(amountCharged) }));
    if (plant === 'commission') await change(id, () => ({ commission: oneKoboMore(amount) }));
    if (plant === 'refund') await change(id, () => ({ refunded: true }));
    if (plant === 'refused-but-charged') await change(id, () => ({ state: 'refused' }));
    if (plant === 'unknown-reference') await change(id, () => ({ reference: `GONE-${id}` }));
    if (plant === 'lookup-failed') down.add(reference);
    if (plant === 'refund-outstanding') withoutRefund.add(reference);
  }

  const byReference = new Map(planned.map((sale) => [referenceOf(sale.id), sale]));
  const wallet = await walletCsv(sandbox);
  const rows = wallet.flatMap((row) => plantedRows(row, byReference.get(row.reference)?.plant ?? 'nothing'));
  const statement = () =>
    statementRows(rows, { reference: 'reference', kind: 'kind', amount: 'amount', time: 'at' });
  return {
    orders: orders as Orders<unknown>,
    expected: planned.flatMap((sale) => expectedOf(sale, referenceOf(sale.id))),
    expectedBalance: balanceOf(planned, 1_000_000_000),
    statement,
    reconcile: (options) =>
      orders.reconcile({
        from: new Date('2026-03-14T00:00:00Z'),
        to: new Date('2026-03-15T00:00:00Z'),
        lookUpsPerMinute: 1_000_000,
        // Longer than the range, so that every row must be in it.
        statement: {
          rows: statement(),
          from: new Date('2026-03-13T00:00:00Z'),
          to: new Date('2100-01-01T00:00:00Z'),
          // The first row is the funding.
          openingBalance: 0,
        },
        ...options,
      }),
    close: () => sandbox.close(),
  };
}

/** The wallet as the sandbox exports it. */
async function walletCsv(sandbox: Sandbox): Promise<CsvRow[]> {
  const { origin } = await sandbox.listen({ port: 0 }).then(({ baseUrl }) => new URL(baseUrl));
  const path = `/_sandbox/wallets/${sandbox.credentials.clientId}/ledger/export?format=csv`;
  return parse(await (await fetch(origin + path)).text(), { columns: true });
}

/** A row of the wallet, with what was planted in it. */
function plantedRows(row: CsvRow, plant: Plant): CsvRow[] {
  const more = { ...row, amount: String(oneKoboMore(Number(row.amount))) };
  if (row.kind === 'debit') {
    if (plant === 'debit-missing') return [];
    if (plant === 'debit-repeated') return [row, row];
    if (plant === 'debit-amount') return [more];
    if (plant === 'credit-unexpected') return [row, { ...row, kind: 'refund' }];
  }
  if (row.kind === 'refund') {
    if (plant === 'credit-missing') return [];
    if (plant === 'credit-repeated') return [row, row];
    if (plant === 'credit-amount') return [more];
  }
  return [row];
}

/** The findings that a planned sale must lead to, and no others. */
function expectedOf(
  { id, plant, failed }: { readonly id: string; readonly plant: Plant; readonly failed: boolean },
  reference: string,
): Expected[] {
  const elsewhere = (): Expected[] => [
    ['debit-without-order', reference],
    ...(failed ? [['credit-without-order', reference] as const] : []),
  ];
  switch (plant) {
    case 'nothing':
      return [];
    case 'bought-elsewhere':
      return elsewhere();
    case 'unknown-reference':
      return [
        ['unknown-reference', id],
        ['debit-missing', id],
        ...(failed ? [['credit-missing', id] as const] : []),
        ...elsewhere(),
      ];
    case 'refund-outstanding':
      return [['refund', id]];
    default:
      return [[plant, id]];
  }
}

/** What the sales leave in a wallet, worked out from the plan alone. */
function balanceOf(
  planned: readonly { readonly plant: Plant; readonly failed: boolean; readonly amount: number }[],
  opening: number,
): number {
  const spent = planned
    .filter(({ plant, failed }) => !failed && plant !== 'refused-but-charged' && plant !== 'bought-elsewhere')
    .reduce((sum, { amount }) => sum + kobo(amount), 0);
  return (kobo(opening) - spent) / 100;
}

/** What a report found, sorted, so that it can be compared. */
export const foundIn = ({ findings }: Pick<ReconcileReport, 'findings'>): string[] =>
  findings.map(({ kind, id, reference }) => `${kind} ${id ?? reference}`).sort();

export const sorted = (expected: readonly Expected[]): string[] =>
  expected.map(([kind, about]) => `${kind} ${about}`).sort();

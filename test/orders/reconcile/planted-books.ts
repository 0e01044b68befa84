import { BillPay, ServerError, type Transaction } from '../../../src/index.js';
import {
  createOrders,
  type OrderInput,
  type Orders,
  type ReconcileFinding,
  type ReconcileFindingKind,
  type ReconcileOptions,
  type ReconcileSummary,
  type Reconciliation,
  statementRows,
} from '../../../src/orders/index.js';
import type { OrderChange, OrderStore } from '../../../src/orders/store.js';
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js';

/** What is made wrong about one order that is otherwise right. */
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
  'check-failed',
  'debit-missing',
  'debit-repeated',
  'debit-amount',
  'credit-missing',
  'credit-repeated',
  'credit-amount',
  'credit-unexpected',
  'charged-twice',
  'bought-elsewhere',
  // Of orders of two days before, whose debits are not in the statement.
  'debit-late',
  'credit-late',
  'refunded-late',
] as const;

export type Plant = (typeof plants)[number];

/** One order, and what is wrong about it. */
export interface PlannedOrder {
  readonly plant: Plant;
  readonly fails: boolean;
  /** NGN, with kobo. */
  readonly amount: number;
}

/** What only an order that failed, or only one that was delivered, can have. */
const needsFailure: readonly Plant[] = [
  'credit-late',
  'refunded-late',
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

const ofEarlierDay: readonly Plant[] = ['debit-late', 'credit-late', 'refunded-late'];

const hasFailed = ({ plant, fails }: PlannedOrder): boolean =>
  needsFailure.includes(plant) || (fails && !needsSuccess.includes(plant));

/** A row of the sandbox's wallet as CSV. */
type CsvRow = ReturnType<typeof walletRows>[number];

const billers = ['MTN', 'AIRTEL', 'GLO', '9MOBILE'] as const;
const secret = 'whsec_0123456789abcdef0123456789abcdef';
const product = 'airtime';

/** A finding as it is compared: its kind, and its order or reference. */
export type Expected = readonly [kind: ReconcileFindingKind, about: string];

/** What a reconciliation brings, in one object. */
export interface Books extends ReconcileSummary {
  readonly findings: readonly ReconcileFinding[];
}

/** Reads a reconciliation to its end. */
export async function booksOf(books: Reconciliation, onFinding = () => {}): Promise<Books> {
  const findings: ReconcileFinding[] = [];
  for await (const finding of books) {
    findings.push(finding);
    onFinding();
  }
  return { ...books.summary(), findings };
}

/** A shop with orders of which some are wrong, on a sandbox. */
export interface PlantedBooks {
  readonly orders: Orders<unknown>;
  readonly expected: readonly Expected[];
  /** NGN that should remain in the wallet. */
  readonly expectedBalance: number;
  /** The wallet's statement as CSV, with what was planted in it. */
  readonly statement: () => ReturnType<typeof statementRows>;
  reconcile(options?: Partial<ReconcileOptions>): Promise<Books>;
  close(): Promise<void>;
}

/** When the statement begins, between the orders of the earlier day and those of the range. */
const since = new Date('2026-03-13T00:00:00Z');

const kobo = (naira: number): number => Math.round(naira * 100);
const oneKoboMore = (naira: number): number => (kobo(naira) + 1) / 100;

/** Sells, settles by webhooks, and then makes wrong what was planned. */
export async function plantBooks<Client>(
  plans: readonly PlannedOrder[],
  openStore: (now: () => number) => OrderStore<Client>,
  { withKeys = false, onSold = (_sold: number) => {} } = {},
): Promise<PlantedBooks> {
  const sandbox = createSandbox({
    clock: 'manual',
    startAt: '2026-03-12T08:00:00Z',
    settleAfter: 'manual',
    balance: 1_000_000_000,
  });
  const now = () => sandbox.now.getTime();
  const billpay = new BillPay(sandbox.connection);
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

  const planned = plans.map((plan, at) => ({ ...plan, id: `order-${at}`, failed: hasFailed(plan) }));
  const references = new Map<string, string>();
  const buy = async (at: number, { id, amount, plant }: (typeof planned)[number]) => {
    const params = { biller: billers[at % billers.length] ?? 'MTN', recipient: '08031234567', amount };
    if (plant === 'bought-elsewhere') {
      const { reference } = await billpay.airtime.purchase({ ...params, idempotency_key: id });
      references.set(id, reference);
    } else {
      await orders.place({ id, product, params } as OrderInput);
      const { reference } = await orders.buy(id);
      references.set(id, reference ?? '');
    }
    onSold(references.size);
  };
  const referenceOf = (id: string) => references.get(id) ?? '';
  const settle = async (which: (plant: Plant) => boolean) => {
    for (const { id, plant, failed } of planned)
      if (which(plant)) await sandbox.settle(referenceOf(id), failed ? 'failed' : 'success');
  };
  for (const [at, plan] of planned.entries()) if (ofEarlierDay.includes(plan.plant)) await buy(at, plan);
  await settle((plant) => plant === 'debit-late' || plant === 'credit-late');
  await sandbox.advance(2 * 86_400_000);
  for (const [at, plan] of planned.entries()) if (!ofEarlierDay.includes(plan.plant)) await buy(at, plan);
  await settle((plant) => plant !== 'unsettled' && plant !== 'debit-late' && plant !== 'credit-late');
  sandbox.webhooks.subscribe({ secret, enabled: false, handler });
  await settle((plant) => plant === 'unsettled');

  const change = async (id: string, changes: (order: { charged: number }) => OrderChange) => {
    const order = await store.find(id);
    if (!order) throw new Error(`${id} is missing`);
    const { state, attempt, amount = 0, amountCharged = amount } = order;
    await store.update({ id, state, attempt }, changes({ charged: amountCharged }), undefined);
  };
  for (const { id, plant, amount } of planned) {
    const reference = referenceOf(id);
    if (plant === 'state') await change(id, () => ({ state: 'failed', refunded: true }));
    if (plant === 'amount') await change(id, ({ charged }) => ({ amountCharged: oneKoboMore(charged) }));
    if (plant === 'commission') await change(id, () => ({ commission: oneKoboMore(amount) }));
    if (plant === 'refund') await change(id, () => ({ refunded: true }));
    if (plant === 'refused-but-charged') await change(id, () => ({ state: 'refused' }));
    if (plant === 'unknown-reference') await change(id, () => ({ reference: `GONE-${id}` }));
    if (plant === 'check-failed') down.add(reference);
    if (plant === 'refund-outstanding') withoutRefund.add(reference);
  }

  const byReference = new Map(planned.map((plan) => [referenceOf(plan.id), plan]));
  const wallet = walletRows(sandbox);
  const isBefore = ({ at }: CsvRow) => new Date(at) < since;
  const before = wallet.filter(isBefore);
  // What belongs to an order of an earlier day is written again in the middle of the range.
  const late = before.flatMap((row) => {
    const plant = byReference.get(row.reference)?.plant;
    const isLate =
      (plant === 'debit-late' && row.kind === 'debit') || (plant === 'credit-late' && row.kind === 'refund');
    return isLate ? [{ ...row, at: '2026-03-14T12:00:00Z' }] : [];
  });
  const rows = wallet
    .filter((row) => !isBefore(row))
    .flatMap((row) => plantedRows(row, byReference.get(row.reference)?.plant ?? 'nothing'));
  const statement = () =>
    statementRows([...rows, ...late], {
      reference: 'reference',
      kind: 'kind',
      amount: 'amount',
      time: 'at',
      ...(withKeys && { key: 'idempotency_key' }),
    });
  return {
    orders: orders as Orders<unknown>,
    expected: planned.flatMap((plan) => expectedOf(plan, referenceOf(plan.id), withKeys)),
    expectedBalance: balanceOf(planned, 1_000_000_000),
    statement,
    reconcile: (options) =>
      booksOf(
        orders.reconcile({
          from: new Date('2026-03-14T00:00:00Z'),
          to: new Date('2026-03-15T00:00:00Z'),
          checksPerMinute: 1_000_000,
          // Longer than the range, so that every row must be in it.
          statement: {
            rows: statement(),
            from: since,
            to: new Date('2100-01-01T00:00:00Z'),
            openingBalance: openingOf(before),
          },
          ...options,
        }),
      ),
    close: () => sandbox.close(),
  };
}

/** The ledger of the wallet as rows of CSV. */
export const walletRows = (sandbox: Sandbox) =>
  sandbox.wallet().ledger.map(({ at, kind, amount, reference = '', idempotency_key = '' }) => ({
    at: at.toISOString(),
    kind: String(kind),
    amount: String(amount),
    reference,
    idempotency_key,
  }));

/** What the rows leave in the wallet. */
const openingOf = (rows: readonly CsvRow[]): number =>
  rows.reduce((sum, { kind, amount }) => sum + (kind === 'debit' ? -1 : 1) * kobo(Number(amount)), 0) / 100;

/** A row of the wallet, with what was planted in it. */
function plantedRows(row: CsvRow, plant: Plant): CsvRow[] {
  const more = { ...row, amount: String(oneKoboMore(Number(row.amount))) };
  if (row.kind === 'debit') {
    if (plant === 'debit-missing') return [];
    if (plant === 'debit-repeated') return [row, row];
    if (plant === 'debit-amount') return [more];
    if (plant === 'charged-twice') return [row, { ...row, reference: `TWICE-${row.idempotency_key}` }];
    if (plant === 'credit-unexpected') return [row, { ...row, kind: 'refund' }];
  }
  if (row.kind === 'refund') {
    if (plant === 'credit-missing') return [];
    if (plant === 'credit-repeated') return [row, row];
    if (plant === 'credit-amount') return [more];
  }
  return [row];
}

/** The findings that a planned order must lead to, and no others. */
function expectedOf(
  { id, plant, failed }: { readonly id: string; readonly plant: Plant; readonly failed: boolean },
  reference: string,
  withKeys: boolean,
): Expected[] {
  const elsewhere = (): Expected[] => [
    ['debit-without-order', reference],
    ...(failed ? [['credit-without-order', reference] as const] : []),
  ];
  switch (plant) {
    case 'nothing':
    case 'refunded-late':
      return [];
    case 'charged-twice':
      return withKeys ? [[plant, id]] : [['debit-without-order', `TWICE-${id}`]];
    case 'bought-elsewhere':
      return elsewhere();
    case 'unknown-reference':
      if (withKeys)
        return [
          ['unknown-reference', id],
          ['reference-missing', id],
        ];
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

/** What the orders leave in a wallet, worked out from the plan alone. */
function balanceOf(
  planned: readonly { readonly plant: Plant; readonly failed: boolean; readonly amount: number }[],
  opening: number,
): number {
  const spent = planned
    .filter(({ plant, failed }) => !failed && plant !== 'refused-but-charged' && plant !== 'bought-elsewhere')
    .reduce((sum, { amount }) => sum + kobo(amount), 0);
  return (kobo(opening) - spent) / 100;
}

/** What was found, sorted, so that it can be compared. */
export const foundIn = ({ findings }: Pick<Books, 'findings'>): string[] =>
  findings.map(({ kind, id, reference }) => `${kind} ${id ?? reference}`).sort();

export const sorted = (expected: readonly Expected[]): string[] =>
  expected.map(([kind, about]) => `${kind} ${about}`).sort();

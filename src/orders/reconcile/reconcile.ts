import { toKobo, toNaira } from '../../contract/money.js';
import { mapConcurrent } from '../../utils/functions.js';
import { onAbort, unlessAborted } from '../../utils/wait.js';
import type { OrdersClient } from '../options.js';
import type { Order } from '../order.js';
import { noOrders } from '../states.js';
import type { OrderStore } from '../store.js';
import { compareOrder, type OrderVerdict } from './compare-order.js';
import { type Expectation, everything, isCoveredBy, type OrderLines } from './compare-statement.js';
import { type Difference, findingOf, type ReconcileFinding } from './finding.js';
import { type CheckedReconcile, checkedReconcile, type ReconcileOptions } from './options.js';
import {
  linesOf,
  readStatement,
  type Statement,
  type StatementLine,
  type WalletStatement,
} from './statement.js';
import { createStatusChecks } from './status-checks.js';
import { changeKobo, type ReconcileSummary, totalsOf } from './summary.js';
import { bookSums } from './sums.js';

/** The findings of `orders.reconcile`, one after the other, as they are found. */
export interface Reconciliation extends AsyncGenerator<ReconcileFinding, void, undefined> {
  /** What has been compared so far; after the last finding, all of it. */
  summary(): ReconcileSummary;
}

/** Orders that are read at once. */
const pageSize = 50;
/** Orders that are compared at once. */
const concurrency = 4;
/** An order that changes while it is compared is compared again, at most so often. */
const mostComparisons = 3;

/** An order that was compared, as it is stored after its status check. */
interface Comparison extends OrderVerdict {
  readonly order: Order;
  /** Its lines of the statement. */
  readonly lines: readonly StatementLine[];
}

/** What the orders of a shop are compared with. */
interface Shop<Client> {
  readonly billpay: OrdersClient;
  readonly store: OrderStore<Client>;
}

/**
 * Compares the orders of a time range with the service, and with the wallet's statement where there is one.
 *
 * @throws `ConfigurationError` for a wrong option.
 */
export function reconcile<Client>({ billpay, store }: Shop<Client>, given: ReconcileOptions): Reconciliation {
  const options = checkedReconcile(given);
  const { from, to } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const states = noOrders();
  const sums = bookSums(options.timeZone);
  const counts = { orders: 0, checked: 0, found: 0 };
  let excessKobo = 0;
  let statement: Statement | undefined;
  let complete = false;

  const check = createStatusChecks(billpay, options, signal, () => counts.checked++);

  /** Undefined once the signal is aborted. */
  const compare = async (given: Order, isInRange: boolean): Promise<Comparison | undefined> => {
    let order = given;
    for (let comparisons = 1; ; comparisons++) {
      const lookup = await check(order, isInRange);
      if (!lookup) return undefined;
      const lines = statement && (await orderLines(store, statement, order));
      const compareExpecting = (expectation: Expectation) =>
        compareOrder(order, lookup, lines && { lines, expectation });
      let verdict = compareExpecting(everything);
      const isPlain = isInRange && verdict.differences.length === 0;
      if (statement && lines && !(isPlain && isCoveredBy(statement.covered, spanOf(order.createdAt))))
        verdict = compareExpecting(await expectationOf(store, order, statement, isInRange));
      const comparison = { order, ...verdict, lines: lines ? [...lines.own, ...lines.others] : [] };
      if (verdict.differences.length === 0 || comparisons === mostComparisons) return comparison;
      // A webhook may have settled the order since it was read: what is stored now decides.
      const now = await store.find(order.id);
      if (!now || isUnchanged(order, now)) return comparison;
      order = now;
    }
  };

  async function* findings(): AsyncGenerator<ReconcileFinding, void, undefined> {
    statement = options.statement && (await readUntilAborted(options.statement, options, signal));
    if (signal.aborted) return;
    const claimed = new Set<StatementLine>();
    const report = (about: Pick<ReconcileFinding, 'id' | 'reference'>, difference: Difference) => {
      counts.found++;
      return findingOf(about, difference);
    };
    const claim = (comparison: Comparison) => {
      excessKobo += comparison.excessKobo;
      for (const line of comparison.lines) claimed.add(line);
      return comparison.differences.map((difference) => report(comparison.order, difference));
    };
    const orders = ordersOf(store, from, to);
    for await (const comparison of mapConcurrent(orders, concurrency, (order) => compare(order, true))) {
      if (!comparison || signal.aborted) return;
      const { order, entry } = comparison;
      counts.orders++;
      states[order.state]++;
      if (entry) sums.add(order, entry);
      yield* claim(comparison);
    }
    if (statement) {
      // What the orders of the range have not: rows of orders of other days, and of none.
      const rest = [...statement.lines.values()].filter((line) => !claimed.has(line));
      const found = mapConcurrent(rest, concurrency, async (line) => ({
        line,
        order: signal.aborted ? undefined : await orderOf(store, line),
      }));
      for await (const { line, order } of found) {
        if (signal.aborted) return;
        // Two lines may be of one order.
        if (claimed.has(line)) continue;
        const comparison = order && (await compare(order, false));
        if (order && !comparison) return;
        if (comparison) yield* claim(comparison);
        else {
          for (const { kind, kobo } of totalsOfLine(line)) {
            excessKobo += kind === 'debit' ? -kobo : kobo;
            yield report(
              { reference: line.reference },
              { kind: `${kind}-without-order`, found: toNaira(kobo) },
            );
          }
        }
      }
      const difference = balanceDifference(options, statement);
      if (difference) yield report({}, difference);
    }
    complete = !signal.aborted;
  }

  return Object.assign(untilAborted(findings, options.signal, ending), {
    summary: (): ReconcileSummary => ({
      from,
      to,
      ...counts,
      states: { ...states },
      sums: sums.list(),
      total: sums.total(),
      statement: statement && totalsOf(statement, options.statement ?? {}, complete ? excessKobo : undefined),
      complete,
    }),
  });
}

/** Ends with the caller's signal, and ends what is under way when the caller stops reading. */
async function* untilAborted<T>(
  values: () => AsyncGenerator<T, void, undefined>,
  signal: AbortSignal | undefined,
  ending: AbortController,
): AsyncGenerator<T, void, undefined> {
  const stopListening = onAbort(signal, () => ending.abort());
  if (signal?.aborted) ending.abort();
  const all = values();
  try {
    for (let next = await all.next(); !next.done; next = await all.next()) yield next.value;
  } finally {
    ending.abort();
    stopListening();
    await all.return();
  }
}

async function readUntilAborted(
  given: WalletStatement,
  range: Pick<CheckedReconcile, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<Statement | undefined> {
  try {
    return await unlessAborted(readStatement(given, range), signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The orders of a range, the newest first. */
async function* ordersOf<Client>(
  store: OrderStore<Client>,
  since: Date,
  until: Date,
): AsyncGenerator<Order, void, undefined> {
  let after: Order | undefined;
  do {
    const page = await store.list({ since, until, limit: pageSize, ...(after && { after }) });
    yield* page;
    after = page.length === pageSize ? page.at(-1) : undefined;
  } while (after);
}

/** The lines of the statement that are about an order; undefined for one that has none and that was not charged as far as is known. */
async function orderLines<Client>(
  store: OrderStore<Client>,
  statement: Statement,
  order: Order,
): Promise<OrderLines | undefined> {
  const { own, others } = linesOf(statement, order);
  if (order.reference === undefined && own.length + others.length === 0) return undefined;
  if (others.length === 0) return { own, others };
  // A line under the key of this order and the reference of another one is that of the other.
  const owners = await Promise.all(others.map(({ reference = '' }) => store.findByReference(reference)));
  return { own, others: others.filter((_, at) => !owners[at]) };
}

async function orderOf<Client>(
  store: OrderStore<Client>,
  { reference, key }: StatementLine,
): Promise<Order | undefined> {
  const order = reference === undefined ? undefined : await store.findByReference(reference);
  return order ?? (key === undefined ? undefined : store.find(key));
}

const spanOf = (since: Date, until = since) => ({ since: since.getTime(), until: until.getTime() });

/** When the rows of an order were written: its debit before its acceptance was stored, its credit before its end was. */
async function expectationOf<Client>(
  store: OrderStore<Client>,
  { id, createdAt, settledAt = new Date() }: Order,
  { covered }: Statement,
  isInRange: boolean,
): Promise<Expectation> {
  const accepted = (await store.history(id)).find(({ event }) => event === 'accept');
  const expected = (until: Date) => {
    const span = spanOf(createdAt, until);
    return { ...span, isCovered: isCoveredBy(covered, span) };
  };
  return {
    debit: expected(accepted?.at ?? settledAt),
    credit: expected(settledAt),
    reportsMissing: isInRange,
  };
}

const isUnchanged = (a: Order, b: Order): boolean =>
  a.state === b.state && a.updatedAt.getTime() === b.updatedAt.getTime();

/** What the debits and the credits of a line add up to. */
const totalsOfLine = ({ entries }: StatementLine) =>
  (['debit', 'credit'] as const).flatMap((kind) => {
    const rows = entries.filter((entry) => entry.kind === kind);
    return rows.length === 0 ? [] : [{ kind, kobo: rows.reduce((sum, { kobo }) => sum + kobo, 0) }];
  });

/** Whether the rows of the statement lead from its first balance to its last. */
function balanceDifference(
  { statement: given }: CheckedReconcile,
  statement: Statement,
): Difference | undefined {
  const { openingBalance, closingBalance } = given ?? {};
  if (openingBalance === undefined || closingBalance === undefined) return undefined;
  const kobo = toKobo(openingBalance) + changeKobo(statement);
  if (kobo === toKobo(closingBalance)) return undefined;
  return { kind: 'balance', stored: toNaira(kobo), found: closingBalance };
}

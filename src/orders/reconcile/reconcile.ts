import { toKobo, toNaira } from '../../contract/money.js';
import { mapConcurrent } from '../../utils/functions.js';
import { onAbort, unlessAborted } from '../../utils/wait.js';
import type { OrdersClient } from '../options.js';
import type { Order } from '../order.js';
import { noOrders } from '../states.js';
import { eachOrder, type OrderStore } from '../store.js';
import { compareOrder, type OrderVerdict } from './compare.js';
import { type Difference, findingOf, type ReconcileFinding } from './finding.js';
import { type CheckedReconcile, checkedReconcile, type ReconcileOptions } from './options.js';
import { linesOf, type OrderLines, readStatement, type Statement, type StatementLine } from './statement.js';
import { createStatusChecks } from './status-checks.js';
import { bookSums, type ReconcileSummary, totalsOf } from './sums.js';

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

/**
 * Compares the orders of a time range with the service, and with the wallet's statement where there is one.
 *
 * @throws `ConfigurationError` for a wrong option.
 */
export function reconcile<Client>(
  { billpay, store }: { readonly billpay: OrdersClient; readonly store: OrderStore<Client> },
  given: ReconcileOptions,
): Reconciliation {
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

  const check = createStatusChecks(billpay, options, signal);

  const compare = async (given: Order, isInRange: boolean): Promise<Comparison> => {
    let order = given;
    for (let comparisons = 1; ; comparisons++) {
      const lookup = await check(order, isInRange);
      if (lookup.outcome !== 'none') counts.checked++;
      const lines = statement && (await orderLines(store, statement, order));
      const rows = statement && lines && { lines, covered: statement.covered, isInRange };
      const verdict = compareOrder(order, lookup, rows);
      const comparison = { order, ...verdict, lines: lines ? [...lines.own, ...lines.others] : [] };
      if (verdict.differences.length === 0 || comparisons === mostComparisons) return comparison;
      // A webhook may have settled the order since it was read: what is stored now decides.
      const now = await store.find(order.id);
      if (!now || isUnchanged(order, now)) return comparison;
      order = now;
    }
  };

  async function* findings(): AsyncGenerator<ReconcileFinding, void, undefined> {
    statement = options.statement && (await unlessAborted(readStatement(options.statement, options), signal));
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
    const inRange = eachOrder(store, { since: from, until: to }, pageSize);
    for await (const comparison of mapConcurrent(inRange, concurrency, (order) => compare(order, true))) {
      signal.throwIfAborted();
      const { order, entry } = comparison;
      counts.orders++;
      states[order.state]++;
      if (entry) sums.add(order, entry);
      yield* claim(comparison);
    }
    if (statement) {
      // What the orders of the range have not: rows of orders of other days, and of none.
      const rest = [...statement.lines.values()].filter((line) => !claimed.has(line));
      const found = mapConcurrent(rest, concurrency, async (line) => {
        signal.throwIfAborted();
        return { line, order: await orderOf(store, line) };
      });
      for await (const { line, order } of found) {
        // Two lines may be of one order.
        if (claimed.has(line)) continue;
        if (order) {
          yield* claim(await compare(order, false));
          continue;
        }
        for (const { kind, kobo } of totalsOfLine(line)) {
          excessKobo += kind === 'debit' ? -kobo : kobo;
          const difference = { kind: `${kind}-without-order`, found: toNaira(kobo) } as const;
          yield report({ reference: line.reference }, difference);
        }
      }
      const difference = balanceDifference(options, statement);
      if (difference) yield report({}, difference);
    }
    signal.throwIfAborted();
    complete = true;
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
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    ending.abort();
    stopListening();
    await all.return();
  }
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
  const kobo = toKobo(openingBalance) + statement.changeKobo;
  if (kobo === toKobo(closingBalance)) return undefined;
  return { kind: 'balance', stored: toNaira(kobo), found: closingBalance };
}

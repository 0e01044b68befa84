import { toKobo, toNaira } from '../../contract/money.js';
import type { OrdersRuntime } from '../runtime.js';
import { applyLookup } from './apply.js';
import { checkpointOf, type Progress, progressFrom, rangeText } from './checkpoint.js';
import { createExaminer, type Examined } from './examine.js';
import { findingOf, type ReconcileFinding } from './finding.js';
import { inLanes } from './in-lanes.js';
import { type Evidence, type Judged, judgeOrder } from './judge.js';
import { type CheckedReconcile, checkedReconcile, type ReconcileOptions } from './options.js';
import type { ReconcileReport, StatementTotals } from './report.js';
import { rowsWithoutOrder } from './rows-without-order.js';
import { coverageOf, readStatement, type WalletStatement } from './statement.js';
import { salesSums, totalOfSums } from './sums.js';

/** Orders between two checkpoints. */
const pageSize = 50;

/** Compares the orders of a time range with the service, and with the wallet's statement where there is one. */
export async function reconcile<Client>(
  runtime: OrdersRuntime<Client>,
  given: ReconcileOptions,
): Promise<ReconcileReport> {
  const options = checkedReconcile(given);
  const { from, to, signal, concurrency, onProgress, onCheckpoint } = options;
  const { store } = runtime;
  const statement = options.statement && (await readEvidence(options, options.statement));
  const range = rangeText(options, statement);
  let progress = progressFrom(options.checkpoint, range);
  const findings = [...progress.findings];
  const sums = salesSums(options.timeZone, progress.sums);
  const compared = new Set<string>();
  const tell = () => {
    const { orders, lookedUp, after } = progress;
    onProgress?.({ orders, lookedUp, findings: findings.length, placedAt: after?.createdAt });
  };
  const examine = createExaminer(runtime, options, () => {
    progress = { ...progress, lookedUp: progress.lookedUp + 1 };
    tell();
  });
  let complete = false;
  while (!complete && !signal?.aborted) {
    const { after } = progress;
    const page = await store.list({ since: from, until: to, limit: pageSize, ...(after && { after }) });
    const { results, error } = await inLanes(page, concurrency, examine);
    for (const examined of results) {
      const judged = await judgeOrder(runtime, examined, statement);
      if (judged.sale) sums.add(examined.order, judged.sale);
      if (examined.order.reference !== undefined) compared.add(examined.order.reference);
      const applied = options.apply && (await applyLookup(runtime, examined));
      findings.push(...findingsOf(examined, judged, applied));
      progress = withOrder(progress, examined, judged, applied);
    }
    progress = { ...progress, findings, sums: sums.list() };
    tell();
    if (results.length > 0) await onCheckpoint?.(checkpointOf(range, progress));
    if (error !== undefined) throw error;
    complete = results.length === page.length && page.length < pageSize;
  }
  const rows = statement && complete ? await rowsWithoutOrder(store, statement, compared) : undefined;
  const { orders, states, lookedUp, applied } = progress;
  return {
    from,
    to,
    orders,
    states,
    lookedUp,
    applied,
    findings: [...findings, ...(rows?.findings ?? []), ...balanceFindings(options, statement)],
    sums: progress.sums,
    total: totalOfSums(progress.sums),
    statement: statement && totalsOf(options, statement, rows && progress.excessKobo + rows.excessKobo),
    complete,
    checkpoint: complete ? undefined : checkpointOf(range, progress),
  };
}

async function readEvidence(options: CheckedReconcile, given: WalletStatement): Promise<Evidence> {
  const read = await readStatement(given);
  return { ...read, coverage: coverageOf(given, read, options) };
}

const findingsOf = ({ order }: Examined, { differences }: Judged, applied: boolean): ReconcileFinding[] =>
  differences.map((difference) => findingOf(order, difference, applied && difference.kind === 'unsettled'));

function withOrder(
  progress: Progress,
  { order: { id, createdAt, state } }: Examined,
  { excessKobo }: Judged,
  applied: boolean,
): Progress {
  return {
    ...progress,
    after: { id, createdAt },
    orders: progress.orders + 1,
    applied: progress.applied + (applied ? 1 : 0),
    states: { ...progress.states, [state]: progress.states[state] + 1 },
    excessKobo: progress.excessKobo + excessKobo,
  };
}

const changeKobo = ({ debitedKobo, creditedKobo, otherKobo }: Evidence): number =>
  creditedKobo - debitedKobo + otherKobo;

/** Whether the rows of the statement lead from its first balance to its last. */
function balanceFindings(
  { statement: given }: CheckedReconcile,
  statement: Evidence | undefined,
): ReconcileFinding[] {
  const { openingBalance, closingBalance } = given ?? {};
  if (!statement || openingBalance === undefined || closingBalance === undefined) return [];
  const kobo = toKobo(openingBalance) + changeKobo(statement);
  if (kobo === toKobo(closingBalance)) return [];
  return [findingOf({}, { kind: 'balance', stored: toNaira(kobo), found: closingBalance })];
}

function totalsOf(
  { statement: given }: CheckedReconcile,
  statement: Evidence,
  excessKobo: number | undefined,
): StatementTotals {
  const { openingBalance } = given ?? {};
  const change = changeKobo(statement);
  const expected = excessKobo === undefined ? undefined : change - excessKobo;
  const after = (kobo: number | undefined) =>
    openingBalance === undefined || kobo === undefined ? undefined : toNaira(toKobo(openingBalance) + kobo);
  return {
    rows: statement.rows,
    debited: toNaira(statement.debitedKobo),
    credited: toNaira(statement.creditedKobo),
    other: toNaira(statement.otherKobo),
    change: toNaira(change),
    expectedChange: expected === undefined ? undefined : toNaira(expected),
    balance: after(change),
    expectedBalance: after(expected),
  };
}

import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ReconcileFinding, ReconcileSummary } from '../../orders/index.js';
import { createSandbox, type Sandbox } from '../../sandbox/index.js';
import { nodeSqlite } from '../database.js';
import { CommandError, createCommand, type ExitCode, exitCodes, wholeNumber } from '../frame.js';
import { reportLines } from '../report.js';
import { type CommandProcess, endSignal, paintFor, showProgress, widthOf, wrapped } from '../terminal.js';
import { faultsOf, type PlannedOrder, planOrders, troublesOf } from './plan.js';
import { openShop, type ProofDatabase, type Shop, ShopProcess, type ShopProgram } from './shop.js';

interface Options {
  readonly orders: number;
  readonly databaseUrl?: string;
}

/** No message shows the address, because it may hold a password. */
function readPostgresUrl(text: string): string {
  if (URL.canParse(text) && /^postgres(ql)?:/.test(text)) return text;
  throw new CommandError(
    '--database-url must be the address of a PostgreSQL such as postgres://user@localhost/shop',
  );
}

/** The program that runs now, as the process of a shop. */
const ownProgram = (): ShopProgram => ({ file: String(globalThis.process.argv[1]), args: ['prove-shop'] });

/** `billpay prove`. */
export const proveCommand = (process: CommandProcess, program = ownProgram()): Command =>
  createCommand('prove', process)
    .description(
      `Proves on this machine that every order is charged at most once and ends as its transaction does: starts a sandbox, buys orders through lost responses, cut bodies, 429s and 503s, kills the process of the shop right after debits, and compares both sides with orders.reconcile. Nothing leaves this machine.

The orders are in a temporary SQLite file where this Node has node:sqlite (22.13 or later), and in memory elsewhere; then no process is killed.

Exit code: 0 when nothing differs, 1 when something does, 2 when the proof did not come to its end.`,
    )
    .option('--orders <n>', 'How many orders to buy, 20 to 5000', wholeNumber(20, 5000), 200)
    .option(
      '--database-url <url>',
      'A PostgreSQL for the orders; its tables are removed at the end (needs pg here)',
      readPostgresUrl,
    )
    .action(async (options: Options) => {
      process.exitCode = await run(options, process, program);
    });

async function run(
  { orders, databaseUrl: url }: Options,
  process: CommandProcess,
  program: ShopProgram,
): Promise<ExitCode> {
  const { stdout } = process;
  const print = (...lines: readonly string[]) => void stdout.write(`${lines.join('\n')}\n`);
  const database = databaseOf(url, process.cwd());
  if (database.kind === 'memory')
    print(
      `Node ${process.versions.node} has no SQLite (22.13 and later have), so the orders are in memory, and no process is killed.`,
      'Run it on a later Node or with --database-url to prove that orders survive kills.',
      '',
    );
  const proof = await prove({
    orders,
    database,
    program,
    // A minute for 200 orders.
    timeout: 55_000 + orders * 100,
    signal: endSignal(process),
    onProgress: ({ ended, kills }) =>
      showProgress(stdout, `${ended} of ${orders} orders have ended, ${kills} kills`),
  }).finally(() => showProgress(stdout));
  print(...proofLines(proof, process));
  return isProven(proof) ? exitCodes.done : exitCodes.failed;
}

function databaseOf(url: string | undefined, folder: string): ProofDatabase {
  const name = `billpay_prove_${randomBytes(4).toString('hex')}`;
  if (url !== undefined) return { kind: 'postgres', url, table: name, folder };
  return nodeSqlite() ? { kind: 'sqlite', folder: join(tmpdir(), name) } : { kind: 'memory' };
}

/** What to prove, and on what. */
interface ProofOptions {
  readonly orders: number;
  readonly database: ProofDatabase;
  /** The process that is killed. */
  readonly program: ShopProgram;
  /** ms after which orders that have not ended count as differences. */
  readonly timeout: number;
  /** Ends the proof without a result; what it has created is removed all the same. */
  readonly signal?: AbortSignal;
  /** Called several times a second with how far the proof is. */
  onProgress(progress: { readonly ended: number; readonly kills: number }): void;
}

/** What the comparison of both sides says. */
export interface Comparison {
  readonly summary: ReconcileSummary;
  readonly findings: readonly ReconcileFinding[];
  /** What the comparison does not look at: orders that ended otherwise than planned, and the sandbox's own audit. */
  readonly problems: readonly string[];
}

export interface Proof extends Comparison {
  readonly plan: readonly PlannedOrder[];
  readonly database: ProofDatabase['kind'];
  readonly kills: number;
  readonly durationMs: number;
}

const killsPlanned = 6;
const hourMs = 3_600_000;

/**
 * Buys orders through a bad network from a sandbox of its own, kills the shop's process right after debits whose response it has not
 * seen, and compares both sides with `orders.reconcile`. Orders in memory would end with their process, so there no process is killed.
 */
export async function prove(options: ProofOptions): Promise<Proof> {
  const { database, program, signal } = options;
  const startedAt = Date.now();
  const plan = planOrders(options.orders);
  const sandbox = createSandbox({ balance: 100_000_000, settleAfter: 400, references: 'unique' });
  let shop: Shop | undefined;
  let child: ShopProcess | undefined;
  const watch = killAfterDebits(sandbox, plan.length, () => child);
  try {
    const { baseUrl } = await sandbox.listen();
    const { clientId, secretKey: apiKey } = sandbox.credentials;
    for (const fault of faultsOf(plan)) sandbox.faults.add(fault);
    const settings = { database, orders: plan.length, baseUrl, clientId, apiKey, webhookSecret };
    shop = await openShop(settings);
    if (database.kind === 'memory') {
      sandbox.webhooks.subscribe({ handler: shop.receive, secret: webhookSecret });
      await shop.sell();
    } else {
      // Each process listens on a port of its own. What is sent while none does is lost, as when a shop is down.
      child = new ShopProcess(program, settings, (url) =>
        sandbox.webhooks.subscribe({ url, secret: webhookSecret }),
      );
      child.start();
    }
    await untilEnded(shop, options, watch, () => child?.check());
    await watch.stop();
    await child?.kill();
    const durationMs = Date.now() - startedAt;
    const compared = await compare(shop, sandbox, plan, startedAt, signal);
    if (signal?.aborted) throw new CommandError('was ended before the books could be compared: run it again');
    return { plan, database: database.kind, kills: watch.kills(), durationMs, ...compared };
  } finally {
    await watch.stop();
    await child?.kill();
    await shop?.remove().catch(() => {});
    await sandbox.close();
  }
}

const webhookSecret = `whsec_${randomBytes(16).toString('hex')}`;

/** Waits until every order has ended. */
async function untilEnded(
  { orders }: Shop,
  { orders: planned, timeout, signal, onProgress }: ProofOptions,
  { kills }: { kills(): number },
  check: () => void,
): Promise<void> {
  const deadline = performance.now() + timeout;
  for (let ended = 0; ended < planned && performance.now() < deadline && !signal?.aborted; ) {
    await delay(100);
    check();
    const { count } = await orders.stats();
    ended = count.delivered + count.failed + count.refused;
    onProgress({ ended, kills: kills() });
  }
}

/** Kills the process whenever a further part of the orders was debited, before it can have stored the response. */
function killAfterDebits(sandbox: Sandbox, orders: number, childOf: () => ShopProcess | undefined) {
  let kills = 0;
  let debits = 0;
  let work = Promise.resolve();
  const stopListening = sandbox.onActivity((activity) => {
    const child = childOf();
    if (!child || activity.type !== 'transaction' || activity.change !== 'accepted') return;
    debits++;
    if (kills >= killsPlanned || debits < ((kills + 1) * orders) / (killsPlanned + 2)) return;
    kills++;
    work = work.then(() => child.kill()).then(() => child.start());
  });
  return {
    kills: () => kills,
    async stop() {
      stopListening();
      await work;
    },
  };
}

/** Compares the orders of the shop with the transactions and the wallet's statement of the sandbox. */
export async function compare(
  { orders }: Shop,
  sandbox: Sandbox,
  plan: readonly PlannedOrder[],
  startedAt: number,
  signal?: AbortSignal,
): Promise<Comparison> {
  const { ledger, balance } = sandbox.wallet();
  const kinds = { debit: 'debit', refund: 'credit', funding: 'other' } as const;
  const [from, to] = [new Date(startedAt - hourMs), new Date(Date.now() + hourMs)];
  const rows = ledger.map(({ kind, reference, idempotency_key: key, amount, at: time }) => {
    return { kind: kinds[kind], reference, key, amount, time };
  });
  const comparison = orders.reconcile({
    from,
    to,
    statement: { rows, from, to, openingBalance: 0, closingBalance: balance },
    checksPerMinute: 1_000_000,
    signal,
  });
  const findings: ReconcileFinding[] = [];
  for await (const finding of comparison) findings.push(finding);
  const summary = comparison.summary();
  const problems = [...sandbox.audit().problems];
  for (const state of ['delivered', 'failed'] as const) {
    const planned = plan.filter(({ end }) => end === state).length;
    if (summary.states[state] !== planned)
      problems.push(`${summary.states[state]} orders are ${state}; expected ${planned}`);
  }
  return { summary, findings, problems };
}

const isProven = ({ findings, problems }: Comparison): boolean => findings.length + problems.length === 0;

const databases = { memory: 'memory', sqlite: 'an SQLite file', postgres: 'PostgreSQL' } as const;

/** What is printed at the end. */
export function proofLines(proof: Proof, process: Pick<CommandProcess, 'stdout'>): string[] {
  const { plan, summary, findings, problems, database, kills, durationMs } = proof;
  const { stdout } = process;
  const paint = paintFor(stdout);
  const row = (count: number, text: string) => `  ${String(count).padStart(7)}   ${text}`;
  const end = isProven(proof)
    ? paint('green', 'Every order was charged at most once, and ended as its transaction did.')
    : paint('red', [...problems, 'The proof has failed.'].join('\n'));
  return [
    `${plan.length} orders in ${databases[database]}, ${(durationMs / 1000).toFixed(1)} s. What went wrong on the way:`,
    ...Object.entries(troublesOf(plan)).map(([name, count]) => row(count, name)),
    ...(database === 'memory' ? [] : [row(kills, 'kills of the shop right after a debit')]),
    '',
    'What orders.reconcile compared:',
    ...reportLines(summary, findings, process),
    ...wrapped(end, widthOf(stdout)),
  ];
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import type * as memory from '../../../src/orders/stores/memory.js';
import type * as sqlite from '../../../src/orders/stores/sqlite.js';
import { openSqlite } from '../support/sqlite.js';
import { changing } from './cases/changing.js';
import type { OrderStoreUnderTest } from './cases/fixture.js';
import { placing } from './cases/placing.js';
import { scanning } from './cases/scanning.js';

const source = fileURLToPath(new URL('../../../src/orders/stores/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'billpay-mutants-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A change of one line of a store: the file, what it says, and what the mutant says. */
type Mutation = readonly [file: string, from: string, to: string];

let built = 0;

/** A module of `stores`, of which one file has been changed. */
async function mutant<Module>(entry: string, [file, from, to]: Mutation): Promise<Module> {
  const text = readFileSync(join(source, file), 'utf8');
  // A mutant that changes nothing would survive, and one of two places might be another defect.
  expect(text.split(from)).toHaveLength(2);
  const { outputFiles } = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'mutation',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            resolve(path) === join(source, file)
              ? { contents: text.replace(from, () => to), loader: 'ts' }
              : undefined,
          ),
      },
    ],
  });
  const path = join(folder, `${basename(entry, '.ts')}-${built++}.mjs`);
  writeFileSync(path, outputFiles[0]?.text ?? '');
  return import(pathToFileURL(path).href);
}

const cases = [...placing, ...changing, ...scanning];

/** The names of the cases that a store fails, of those whose names match. */
async function failedBy(
  which: RegExp,
  open: (now: () => number) => Pick<OrderStoreUnderTest, 'store'> & { close?(): Promise<void> },
): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, check] of cases.filter(([name]) => which.test(name))) {
    let at = Date.UTC(2026, 0, 31, 12);
    const pass = async (ms: number) => {
      at += ms;
    };
    const { store, close } = open(() => at);
    await check({ store, pass }).catch(() => failed.push(name));
    await close?.();
  }
  return failed;
}

const inMemory = (which: RegExp, { memoryOrderStore }: typeof memory) =>
  failedBy(which, (now) => ({ store: memoryOrderStore({ now }) }));

const inSqlite = (which: RegExp, { sqliteOrderStore }: typeof sqlite) =>
  failedBy(which, (now) => {
    const database = openSqlite(':memory:');
    return { store: sqliteOrderStore(database, { now }), close: async () => database.close() };
  });

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the lines of a source.
/** What is planted, and a word of the case that must find it. SQL is shared by the three databases; SQLite runs it here. */
const plants: readonly (readonly [
  plant: string,
  found: RegExp,
  store: 'memory' | 'sqlite',
  mutation: Mutation,
])[] = [
  [
    'parameters beyond biller, recipient and amount are lost',
    /all of its parameters/,
    'sqlite',
    [
      'sql.ts',
      'value(json(params))',
      'value(json({ biller: params.biller, recipient: params.recipient, amount: params.amount }))',
    ],
  ],
  [
    'the product is always airtime',
    /every product/,
    'sqlite',
    ['sql.ts', 'value(product)', "value('airtime')"],
  ],
  [
    'the amount is a whole number',
    /keeps what is left out/,
    'sqlite',
    ['sql.ts', "['amount', change.amount]", "['amount', change.amount && Math.round(change.amount)]"],
  ],
  [
    'one id is placed twice, and both are inserted',
    /many times at once/,
    'sqlite',
    ['sql-store.ts', 'inserted: own.delete(id)', 'inserted: true'],
  ],
  [
    'one id is placed twice, and both are inserted',
    /many times at once/,
    'memory',
    ['memory.ts', 'if (existing) return { order: view(existing), inserted: false };', ''],
  ],
  [
    "the guard's attempt is not checked in a transaction of the caller",
    /guard in a transaction/,
    'sqlite',
    [
      'sql-store.ts',
      '`attempt = ${value(attempt)}`',
      "`${client ? '0 < 1 OR' : ''} attempt = ${value(attempt)}`",
    ],
  ],
  [
    'the guard is not checked in a transaction of the caller',
    /guard in a transaction/,
    'sqlite',
    [
      'sql-store.ts',
      "SET ${set} WHERE ${where.join(' AND ')}`",
      "SET ${set} WHERE ${client ? '0 = 0 OR' : ''} ${where.join(' AND ')}`",
    ],
  ],
  [
    'the guard is not checked in a transaction of the caller',
    /guard in a transaction/,
    'memory',
    [
      'memory.ts',
      '!row || row.state !== guard.state',
      '!row || (inside && !guard.due) ? !row : row.state !== guard.state',
    ],
  ],
  [
    'whether the order is due is not checked',
    /measures what is due/,
    'sqlite',
    ['sql-store.ts', 'if (due) where', 'if (false) where'],
  ],
  [
    'a rollback loses the commits of others',
    /what others have committed/,
    'memory',
    ['memory.ts', 'inside ? Promise.resolve().then(work) : inTurn(work)', 'Promise.resolve().then(work)'],
  ],
  [
    'a rollback loses the commits of others',
    /what others have committed/,
    'sqlite',
    [
      'sqlite.ts',
      "client ? run(sql, values) : transaction(() => run(sql, values), sql.startsWith('SELECT'))",
      'run(sql, values)',
    ],
  ],
  [
    'a transaction is not rolled back',
    /rolls back as a whole/,
    'memory',
    ['memory.ts', 'rows = before;', ''],
  ],
  [
    'a transaction is not rolled back',
    /rolls back as a whole/,
    'sqlite',
    ['sqlite.ts', "callSafely(() => database.exec('ROLLBACK'))", "callSafely(() => database.exec('COMMIT'))"],
  ],
  [
    'one reference is stored by two orders at once',
    /two orders get at once/,
    'sqlite',
    ['schema.ts', '`${keyType} UNIQUE`', 'keyType'],
  ],
  [
    'one reference is stored by two orders at once',
    /two orders get at once/,
    'memory',
    ['memory.ts', 'if (other && other !== row) throw', 'if (other && other === row) throw'],
  ],
  [
    'the double tap is not checked in a transaction',
    /equal order in a transaction/,
    'sqlite',
    ['sql-store.ts', 'duplicateWithinMs === undefined\n', 'duplicateWithinMs === undefined || client\n'],
  ],
  [
    'the double tap is not checked in a transaction',
    /equal order in a transaction/,
    'memory',
    [
      'memory.ts',
      'alone(inside, () => insertOne(order, duplicateWithinMs))',
      'alone(inside, () => insertOne(order, inside ? undefined : duplicateWithinMs))',
    ],
  ],
  [
    'the double tap is found only while the first order is placed',
    /whatever has become of it/,
    'sqlite',
    ['sql-store.ts', "\"state NOT IN ('refused', 'failed')\",\n", '"state = \'placed\'",\n'],
  ],
  [
    'the double tap is found only while the first order is placed',
    /whatever has become of it/,
    'memory',
    ['memory.ts', "row.state !== 'refused' &&", "row.state === 'placed' &&"],
  ],
  [
    'double taps of all customers are one',
    /shortly before/,
    'sqlite',
    ['sql-store.ts', 'if (customer !== undefined) where', 'if (false) where'],
  ],
  [
    'insertMany is not rolled back',
    /all orders of a list or none/,
    'sqlite',
    ['sql-store.ts', 'within(client, (inside) => insertAll(given, inside))', 'insertAll(given, client)'],
  ],
  [
    'insertMany is not rolled back',
    /all orders of a list or none/,
    'memory',
    [
      'memory.ts',
      'orNothing(() => many.map((order) => insertOne(order)))',
      'many.map((order) => insertOne(order))',
    ],
  ],
  [
    'there is no history',
    /one line for each update/,
    'sqlite',
    ['sql.ts', 'if (note) {', 'if (note && 0 > 1) {'],
  ],
  [
    'there is no history',
    /one line for each update/,
    'memory',
    ['memory.ts', 'history: [...row.history, line]', 'history: row.history'],
  ],
  [
    'a line of history is written without a note',
    /one line for each update/,
    'sqlite',
    [
      'sql.ts',
      'if (note) {\n    const { event, detail } = note;',
      "{\n    const { event, detail } = note ?? { event: 'note' };",
    ],
  ],
  [
    'a page is limited before it is ordered',
    /newest first/,
    'sqlite',
    [
      'sql-store.ts',
      '${conditions(which, value)} ORDER BY created_at DESC, id DESC LIMIT',
      '${conditions(which, value)} ORDER BY created_at, id LIMIT',
    ],
  ],
  [
    'a page is limited before it is ordered',
    /newest first/,
    'memory',
    [
      'memory.ts',
      '.sort(newestFirst)\n',
      '.slice(0, after ? undefined : limit)\n          .sort(newestFirst)\n',
    ],
  ],
  [
    'what is due is limited before it is ordered',
    /longest due first/,
    'memory',
    ['memory.ts', '.sort((a, b) => Number(a.dueAt) - Number(b.dueAt))', ''],
  ],
  [
    'what is due is not ordered over the states of a lane',
    /longest due first/,
    'sqlite',
    ['sql-store.ts', '\\nORDER BY due_at LIMIT ${limit}`, values', '\\nLIMIT ${limit}`, values'],
  ],
  [
    'what is not due is due',
    /whose time has come/,
    'sqlite',
    ['sql-store.ts', 'Math.trunc(limit), true)', 'Math.trunc(limit), false)'],
  ],
  [
    'an expired order is not told apart',
    /has expired/,
    'sqlite',
    ['sql-store.ts', 'if (unexpired)', 'if (unexpired && due)'],
  ],
  [
    'an expired order is not told apart',
    /has expired/,
    'memory',
    ['memory.ts', 'if (guard.unexpired &&', 'if (guard.unexpired && guard.due &&'],
  ],
  [
    'contradicted is cleared',
    /what the books need/,
    'sqlite',
    ['sql.ts', "['contradicted', change.contradicted]", "['contradicted', change.contradicted ?? false]"],
  ],
  [
    'a possible charge is forgotten',
    /an order was first unknown/,
    'sqlite',
    [
      'sql.ts',
      'if (is) set.push',
      "if (!is && column === 'unknown_since') set.push('unknown_since = NULL');\n    if (is) set.push",
    ],
  ],
  [
    'a possible charge is forgotten',
    /an order was first unknown/,
    'memory',
    [
      'memory.ts',
      'unknownSince: once(mayHaveCharged, row.unknownSince)',
      'unknownSince: mayHaveCharged && once(mayHaveCharged, row.unknownSince)',
    ],
  ],
  [
    'a second unknown attempt restarts the clock',
    /does not restart the clock/,
    'sqlite',
    ['sql.ts', 'coalesce(${column}, ${dialect.now(value)})', '${dialect.now(value)}'],
  ],
  [
    'tries are not stored',
    /no longer|keeps what is left out/,
    'sqlite',
    ['sql.ts', "    ['tries', change.tries],\n", ''],
  ],
  [
    'awaitingRefund: false is not stored',
    /that it is no longer/,
    'sqlite',
    [
      'sql.ts',
      "['awaiting_refund', change.awaitingRefund]",
      "['awaiting_refund', change.awaitingRefund || undefined]",
    ],
  ],
  [
    'ids are compared without their case',
    /compares ids exactly/,
    'sqlite',
    ['sqlite.ts', 'keyType: `VARCHAR(${keyBytes})`', 'keyType: `VARCHAR(${keyBytes}) COLLATE NOCASE`'],
  ],
  [
    'a page continues by time alone',
    /page by page/,
    'sqlite',
    ['sql.ts', ' OR id < ${value(storable(after.id))})', ')'],
  ],
  [
    'the end of a range is in it',
    /time of settlement/,
    'sqlite',
    ['sql.ts', "where('created_at <', until)", "where('created_at <=', until)"],
  ],
  [
    'what was refused is spent',
    /what was spent/,
    'sqlite',
    ['sql-store.ts', " AND state NOT IN ('failed', 'refused')`", '`'],
  ],
  [
    'the oldest of final states is told',
    /stats counts by state/,
    'sqlite',
    ['sql-store.ts', 'if (!isFinal(state)) oldest', 'oldest'],
  ],
  [
    'the orders of all runs are counted',
    /stats of a run/,
    'sqlite',
    ['sql-store.ts', 'conditions({ run }, counted.value)', 'conditions({}, counted.value)'],
  ],
  [
    'what was spent for all runs is added up',
    /stats of a run/,
    'sqlite',
    [
      'sql-store.ts',
      'conditions({ run, since: from, until }, value)',
      'conditions({ since: from ?? new Date(0), until }, value)',
    ],
  ],
  [
    'wake wakes nothing',
    /wake makes those/,
    'sqlite',
    ['sql-store.ts', 'AND due_at > ${now()}`', 'AND due_at < ${now()}`'],
  ],
  [
    'an unknown order awaits no reference',
    /may still have a reference/,
    'sqlite',
    ['sql-store.ts', "('buying', 'unknown', 'review')", "('buying', 'review')"],
  ],
  [
    'what is stored is handed out',
    /is a copy/,
    'memory',
    ['memory.ts', 'structuredClone({ ...order, ...measured', '({ ...order, ...measured'],
  ],
];

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the lines of a source.

describe('the cases of a store', () => {
  it.each(plants)('find it where %s (%#)', async (_, found, store, mutation) => {
    const failed =
      store === 'memory'
        ? await inMemory(found, await mutant('memory.ts', mutation))
        : await inSqlite(found, await mutant('sqlite.ts', mutation));
    expect(
      failed.filter((name) => found.test(name)),
      `failed: ${failed.join('; ')}`,
    ).not.toEqual([]);
  });

  it('pass on both stores as they are, and have names of their own', async () => {
    const same: Mutation = ['schema.ts', 'dueAt,\n  };', 'dueAt,\n  };'];
    expect(await inMemory(/./, await mutant('memory.ts', same))).toEqual([]);
    expect(await inSqlite(/./, await mutant('sqlite.ts', same))).toEqual([]);
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
  });
});

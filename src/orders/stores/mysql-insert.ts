import { contentOf } from '../../contract/purchase-item.js';
import { hasCode } from '../../utils/has-code.js';
import type { NewOrder, StoredOrder } from '../order.js';
import type { PlacedOrder } from '../store.js';
import { columns, keyText } from './mysql-dialect.js';
import { type MysqlOrderClient, rowsOf, run } from './mysql-pool.js';
import { duplicateKey, lockRows, nowMs } from './mysql-schema.js';
import { orderOf } from './rows.js';
import type { OrderTables } from './tables.js';

/** How often an insert is tried again after another process has placed one of its orders in between. */
const maxTries = 5;

/** Stores orders that are not there yet, and returns what is stored under each id. */
export async function insertOrders(
  tables: OrderTables,
  client: MysqlOrderClient,
  given: readonly NewOrder[],
): Promise<PlacedOrder[]> {
  const byId = new Map([...given].reverse().map((order) => [keyText(order.id), order]));
  const ids = [...byId.keys()];
  for (let tries = 1; ; tries++) {
    const before = await findMany(tables, client, ids, tries > 1);
    const missing = [...byId.values()].filter(({ id }) => !before.has(id));
    try {
      await insertRows(tables, client, missing);
    } catch (error) {
      if (tries === maxTries || !hasCode(error, duplicateKey)) throw error;
      continue;
    }
    const own = new Map(
      await findMany(
        tables,
        client,
        missing.map(({ id }) => id),
        false,
      ),
    );
    const known = new Map([...before, ...own]);
    return given.map(({ id }) => {
      const order = known.get(id);
      if (!order) throw new Error(`the order ${id} was deleted while it was placed`);
      // Of two orders of one id in this list, the first one was inserted.
      return { order, inserted: own.delete(id) };
    });
  }
}

/** Stores one order that is not there yet. */
export async function insertOrder(
  tables: OrderTables,
  client: MysqlOrderClient,
  order: NewOrder,
): Promise<PlacedOrder> {
  const [placed] = await insertOrders(tables, client, [order]);
  if (!placed) throw new Error(`the order ${order.id} was not stored`);
  return placed;
}

/**
 * Stores an order unless another one with the same content was placed within a time. Those who place something for the same recipient take
 * turns, until the transaction of the first one has ended.
 */
export async function insertUnlessPlacedBefore(
  tables: OrderTables,
  client: MysqlOrderClient,
  order: NewOrder,
  withinMs: number,
): Promise<PlacedOrder> {
  const { recipient } = order.params;
  const slot = `CRC32(?) % ${lockRows}`;
  await run(
    client,
    `INSERT INTO ${tables.locks} (slot) VALUES (${slot}) ON DUPLICATE KEY UPDATE slot = slot`,
    [recipient],
  );
  const select = `SELECT ${columns} FROM ${tables.orders}`;
  const [own] = await rowsOf(client, `${select} WHERE id = ? LOCK IN SHARE MODE`, [order.id]);
  if (own) return { order: orderOf(own, own['now_at']), inserted: false };
  const { product, customer = null } = order;
  const before = await rowsOf(
    client,
    `${select} WHERE recipient = ? AND created_at >= ${nowMs} - ? AND product = ?
  AND state NOT IN ('refused', 'failed') AND (? IS NULL OR customer = ?) ORDER BY created_at LOCK IN SHARE MODE`,
    [recipient, Math.round(withinMs), product, customer, customer],
  );
  const repeated = before
    .map((row) => orderOf(row, row['now_at']))
    .find((other) => contentOf(other) === contentOf(order));
  return repeated
    ? { order: repeated, inserted: false, duplicate: true }
    : insertOrder(tables, client, order);
}

/** Orders by id. `latest` also sees what was committed after the caller's transaction began. */
async function findMany(
  { orders }: OrderTables,
  client: MysqlOrderClient,
  ids: readonly string[],
  latest: boolean,
): Promise<ReadonlyMap<string, StoredOrder>> {
  if (ids.length === 0) return new Map();
  const marks = ids.map(() => '?').join(', ');
  const sql = `SELECT ${columns} FROM ${orders} WHERE id IN (${marks})${latest ? ' LOCK IN SHARE MODE' : ''}`;
  return new Map(
    (await rowsOf(client, sql, ids))
      .map((row) => orderOf(row, row['now_at']))
      .map((order) => [order.id, order]),
  );
}

async function insertRows(
  { orders, history }: OrderTables,
  client: MysqlOrderClient,
  given: readonly NewOrder[],
): Promise<void> {
  if (given.length === 0) return;
  const row = `(?, ?, ?, ?, ?, ?, 'placed', ${nowMs}, ${nowMs}, ${nowMs}, ${nowMs} + ?)`;
  const values = given.flatMap(
    ({ id, product, params, customer = null, run: runOfOrder = null, expireAfterMs }) => [
      id,
      product,
      JSON.stringify(params),
      params.recipient,
      customer,
      runOfOrder,
      expireAfterMs === undefined ? null : Math.round(expireAfterMs),
    ],
  );
  await run(
    client,
    `INSERT INTO ${orders} (id, product, params, recipient, customer, run, state, created_at, updated_at, due_at, expires_at)
VALUES ${given.map(() => row).join(', ')}`,
    values,
  );
  await run(
    client,
    `INSERT INTO ${history} (order_id, at, event, to_state, attempt)
VALUES ${given.map(() => `(?, ${nowMs}, 'place', 'placed', 0)`).join(', ')}`,
    given.map(({ id }) => id),
  );
}

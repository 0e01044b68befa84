import { readProperty } from '../../utils/unknown.js';
import { atMost } from '../../utils/wait.js';
import { type Address, databaseError, openOrders, type ShopOrders } from '../database.js';
import { type Answer, failed, ok, skipped } from './finding.js';

/** ms that all of it may take. */
const timeoutMs = 20_000;

const names = { postgres: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' } as const;

/** Whether the database of the orders can be read and written, and undoes what is rolled back. */
export async function checkStore(
  address: Address | undefined,
  options: { readonly table: string | undefined; readonly folder: string },
): Promise<Answer> {
  if (!address)
    return skipped(
      'no database was given: name it with --database-url, --sqlite or BILLPAY_DATABASE_URL, if your shop uses billpay/orders',
    );
  let orders: ShopOrders | undefined;
  try {
    orders = await openOrders(address, { ...options, readOnly: false });
    const problem = await atMost(timeoutMs, tryStore(orders), 'timeout');
    return problem ?? ok(`orders can be written to the ${names[address.kind]}, read and rolled back`);
  } catch (error) {
    return failed(databaseError(error).message);
  } finally {
    await orders?.close().catch(() => {});
  }
}

/** Writes an order in a transaction that is rolled back. */
async function tryStore({ store }: ShopOrders): Promise<Answer | undefined> {
  const id = `billpay-doctor-${crypto.randomUUID()}`;
  const params = { biller: 'MTN', recipient: '08030000000', amount: 100 };
  await store.find(id);
  const undo = new Error('rolled back');
  let wasRead = false;
  try {
    await store.transaction(async (client) => {
      await store.insert({ id, product: 'airtime', params }, { client });
      wasRead = (await store.find(id, client)) !== undefined;
      throw undo;
    });
  } catch (error) {
    if (error !== undo) {
      const code = readProperty(error, 'code') ?? readProperty(error, 'name');
      return failed(
        `the database cannot be written (${String(code)}), so no order can be placed: it may be a read-only replica, its disk may be full, or its user may lack the right to INSERT, UPDATE and DELETE`,
      );
    }
  }
  if (!wasRead)
    return failed(
      'the database does not return an order that was just written: it may be a replica that lags behind',
    );
  return (await store.find(id)) === undefined
    ? undefined
    : failed('the database keeps what was rolled back: its tables must be transactional, such as InnoDB');
}

import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { OrdersOptions } from 'billpay/orders';
import { stringify } from 'csv-stringify';
import { readRows } from './rows.js';

/** Writes one row for each row of the file, with the state of its order. */
export async function writeResult(
  csv: string,
  store: OrdersOptions<unknown>['store'],
  result: string,
): Promise<void> {
  async function* lines() {
    for await (const { line, item } of readRows(csv)) {
      const order = await store.find(item.idempotency_key);
      yield {
        line,
        order_id: item.idempotency_key,
        status: order?.state ?? 'not sent',
        reference: order?.reference ?? '',
      };
    }
  }
  await pipeline(lines, stringify({ header: true }), createWriteStream(result));
}

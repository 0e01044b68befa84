import { createReadStream } from 'node:fs';
import type { PurchaseItem } from 'billpay/bulk';
import { checkOrder } from 'billpay/orders';
import { parse } from 'csv-parse';

/** One row of the file. */
export interface Row {
  /** Its line in the file, counted from 1, the header included. */
  readonly line: number;
  readonly item: PurchaseItem;
}

/** The columns that the file must have. `order_id` is the idempotency key: it must never change once the run has begun. */
export const columns = ['order_id', 'biller', 'recipient', 'amount'] as const;

type Fields = Record<(typeof columns)[number], string>;

/** Reads the file row by row, so that it may be of any length. */
export async function* readRows(path: string): AsyncGenerator<Row> {
  const parser = createReadStream(path).pipe(parse({ columns: true, info: true, trim: true, bom: true }));
  for await (const { record, info } of parser as AsyncIterable<{
    record: Partial<Fields>;
    info: { lines: number };
  }>) {
    const { order_id = '', biller = '', recipient = '', amount = '' } = record;
    yield {
      line: info.lines,
      item: {
        product: 'airtime',
        params: { biller, recipient, amount: amount === '' ? Number.NaN : Number(amount) },
        idempotency_key: order_id,
      },
    };
  }
}

/** What the file asks for, and its problems. */
export interface Survey {
  readonly count: number;
  /** NGN. */
  readonly total: number;
  /** One text for each problem, with its line. */
  readonly problems: readonly string[];
}

/** Checks every row, by the rules of the SDK, before anything is spent. */
export async function survey(path: string): Promise<Survey> {
  const problems: string[] = [];
  const firstLines = new Map<string, number>();
  let count = 0;
  let kobo = 0;
  for await (const { line, item } of readRows(path)) {
    const { product, params, idempotency_key: id } = item;
    const errors = Object.entries(checkOrder({ id, product, params }) ?? {}).map(([field, text]) => {
      const column = field === 'id' ? 'order_id' : field;
      return `line ${line}: ${column} ${text}`;
    });
    const before = firstLines.get(item.idempotency_key);
    if (before !== undefined) errors.push(`line ${line}: order_id is already on line ${before}`);
    else firstLines.set(item.idempotency_key, line);
    problems.push(...errors);
    if (errors.length > 0) continue;
    count++;
    kobo += Math.round(('amount' in item.params ? (item.params.amount ?? 0) : 0) * 100);
  }
  return { count, total: kobo / 100, problems };
}

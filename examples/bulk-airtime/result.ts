import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Journal } from 'billpay/bulk';
import { stringify } from 'csv-stringify';
import { readRows } from './rows.js';

/** Writes one row for each row of the file, with its state over all runs on the journal. */
export async function writeResult(csv: string, journal: Journal, result: string): Promise<void> {
  const opened = await journal.open();
  try {
    const references = new Map<string, string>();
    for await (const { key, reference } of opened.accepted()) references.set(key, reference);
    async function* lines() {
      for await (const { line, item } of readRows(csv)) {
        const key = item.idempotency_key;
        yield {
          line,
          order_id: key,
          status: opened.find(key)?.state ?? 'not sent',
          reference: references.get(key) ?? '',
        };
      }
    }
    await pipeline(lines, stringify({ header: true }), createWriteStream(result));
  } finally {
    await opened.close();
  }
}

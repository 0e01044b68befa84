/** A caller in its own process: resumes what its journal left open, then buys until it has all its orders. */
import { randomUUID } from 'node:crypto';
import { BillPay, BillPayError } from '../../../src/index.js';
import type { SandboxConnection } from '../../../src/sandbox/index.js';
import { transportOf } from '../transport.js';
import { type Entry, Journal } from './journal.js';

interface Settings {
  readonly connection: SandboxConnection;
  readonly journal: string;
  readonly orders: number;
  readonly lanes: number;
  readonly timeout: number;
  readonly transport: string;
}

const {
  connection,
  journal: path,
  orders,
  lanes,
  timeout,
  transport,
}: Settings = JSON.parse(process.env['BUYER'] ?? '');
const billpay = new BillPay({
  ...connection,
  timeout,
  transport: transportOf(transport),
  logLevel: 'off',
});
const journal = new Journal(path);
const open = [...journal.entries.values()].filter(({ reference }) => reference === undefined);
let next = Math.max(0, ...journal.entries.keys());

function nextEntry(): Entry | undefined {
  const resumed = open.shift();
  if (resumed) return resumed;
  if (next === orders) return undefined;
  next += 1;
  const entry: Entry = { order: next, key: randomUUID(), reference: undefined };
  journal.keep(entry);
  return entry;
}

async function buy(entry: Entry): Promise<void> {
  for (;;) {
    try {
      const { reference } = await billpay.airtime.purchase({
        biller: 'MTN',
        recipient: `081${String(entry.order).padStart(8, '0')}`,
        amount: 100,
        idempotency_key: entry.key,
      });
      journal.keep({ ...entry, reference });
      return;
    } catch (error) {
      // Whatever error a call ended in, the order stays open under its key. Only errors that are not the client's end the process.
      if (!(error instanceof BillPayError) || error.attempts === 0) throw error;
    }
  }
}

async function lane(): Promise<void> {
  for (let entry = nextEntry(); entry; entry = nextEntry()) await buy(entry);
}

process.on('disconnect', () => process.exit());
process.send?.('ready');
await Promise.all(Array.from({ length: lanes }, lane));
process.send?.('done');
process.disconnect?.();

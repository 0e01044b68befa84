import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { JournalCorruptError } from '../errors/journal-errors.js';
import { assertOption } from '../validation/options.js';
import { lockFile } from './file-lock.js';
import { type BulkItem, fingerprint, itemErrors } from './item.js';
import type { Journal, JournalOutcome, JournalSettlement, JournalState, OpenJournal } from './journal.js';

type Line =
  | { readonly t: 'start'; readonly item: BulkItem }
  | ({ readonly t: 'end' } & JournalOutcome)
  | ({ readonly t: 'settled' } & JournalSettlement);

const states: readonly JournalState[] = ['started', 'accepted', 'refused', 'unknown', 'deferred'];

/**
 * A journal in a file of JSON lines, only ever appended to. An item's key and parameters are on disk (fsync) before its first attempt, its
 * outcome after. Tokens and PINs are never written; recipients are, so keep it where your orders are kept.
 *
 * A run holds about 100 bytes of memory for each key in the file, and nothing of the items themselves.
 *
 * @example
 * ```ts
 * const run = purchaseAll(billpay, items, { journal: fileJournal('payday.journal') });
 * ```
 */
export function fileJournal(path: string): Journal {
  assertOption(
    typeof path === 'string' && path !== '',
    'path',
    "must be the journal's file, such as 'payday.journal'",
  );
  return { open: () => openFile(path) };
}

async function openFile(path: string): Promise<OpenJournal> {
  const release = await lockFile(path);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'a+');
    return await replay(path, file, release);
  } catch (error) {
    await file?.close();
    await release();
    throw error;
  }
}

async function replay(path: string, file: FileHandle, release: () => Promise<void>): Promise<OpenJournal> {
  /** A key's fingerprint and state in one number, because a million keys are no rarity: 48 bits and 3. */
  const index = new Map<string, number>();
  const counts: Record<JournalState, number> = {
    started: 0,
    accepted: 0,
    refused: 0,
    unknown: 0,
    deferred: 0,
  };
  const settled = new Map<string, string>();
  /** Keys whose sale stands there more than once, as it may in journals of versions that resumed an item twice at a time. */
  const repeated = new Set<string>();
  let acceptedKobo = 0;

  const find = (key: string) => {
    const packed = index.get(key);
    if (packed === undefined) return undefined;
    return { state: states[packed % 8] ?? 'started', fingerprint: Math.floor(packed / 8) };
  };
  const put = (key: string, print: number, state: JournalState) => {
    const before = find(key);
    if (before) counts[before.state]--;
    counts[state]++;
    index.set(key, print * 8 + states.indexOf(state));
  };
  const apply = (line: Line): void => {
    if (line.t === 'start') {
      put(line.item.idempotency_key, fingerprint(line.item), 'started');
    } else if (line.t === 'settled') {
      settled.set(line.reference, line.status);
    } else {
      const before = find(line.key);
      put(line.key, before?.fingerprint ?? 0, line.state);
      if (line.state !== 'accepted') return;
      if (before?.state === 'accepted') repeated.add(line.key);
      else acceptedKobo += Math.round(line.amount * 100);
    }
  };

  const size = await mendEnd(file);
  // What is appended later is known already, and may be half written while it is read.
  const lines = () => linesOf(path, size);
  for await (const line of lines()) apply(line);
  const writer = createWriter(file);

  return {
    find,
    async *unfinished() {
      if (counts.started + counts.unknown === 0) return;
      for await (const line of lines()) {
        if (line.t !== 'start') continue;
        const state = find(line.item.idempotency_key)?.state;
        if (state === 'started' || state === 'unknown') yield line.item;
      }
    },
    async *accepted() {
      const told = new Set<string>();
      for await (const line of lines()) {
        if (line.t !== 'end' || line.state !== 'accepted' || told.has(line.key)) continue;
        const { key, reference, amount } = line;
        if (repeated.has(key)) told.add(key);
        yield { key, reference, amount, settled: settled.get(reference) };
      }
    },
    totals: () => ({ counts: { ...counts }, acceptedAmount: acceptedKobo / 100 }),
    async begin(item) {
      const { product, params, idempotency_key } = item;
      const line = { t: 'start', item: { product, params, idempotency_key } as BulkItem } as const;
      apply(line);
      await writer.append(line, true);
    },
    async end(outcome) {
      const line = { t: 'end', ...outcome } as const;
      apply(line);
      await writer.append(line, false);
    },
    async settled(settlement) {
      const line = { t: 'settled', ...settlement } as const;
      apply(line);
      await writer.append(line, false);
    },
    async close() {
      await writer.close();
      await release();
    },
  };
}

/** Cuts off a last line that a crash tore: what it began to say was not yet acted on, or is asked again. Gives the file's size. */
async function mendEnd(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(10);
    if (newline >= 0 || start === 0) {
      const whole = newline < 0 ? 0 : start + newline + 1;
      if (whole < size) await file.truncate(whole);
      return whole;
    }
    end = start;
  }
  return 0;
}

async function* linesOf(path: string, size: number): AsyncGenerator<Line> {
  if (size === 0) return;
  let number = 0;
  const input = createReadStream(path, { encoding: 'utf8', end: size - 1 });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const text of lines) {
    number++;
    const line = parsed(text);
    if (!line) throw new JournalCorruptError(path, number);
    yield line;
  }
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isLine(line: unknown): line is Line {
  if (typeof line !== 'object' || line === null) return false;
  const { t, item, key, state, reference, amount } = line as Partial<Record<string, unknown>>;
  if (t === 'start') return itemErrors(item) === undefined;
  if (typeof key !== 'string') return false;
  if (t === 'settled') return typeof reference === 'string';
  if (t !== 'end' || !states.some((known) => known === state)) return false;
  return state !== 'accepted' || (typeof reference === 'string' && typeof amount === 'number');
}

/** Appends lines in order; those that come while one batch is being written go into the next, with one fsync for all. */
function createWriter(file: FileHandle) {
  let batch: string[] = [];
  let needsSync = false;
  let written: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    const text = batch.join('');
    const sync = needsSync;
    batch = [];
    needsSync = false;
    written = undefined;
    await file.appendFile(text);
    if (sync) await file.datasync();
  };

  return {
    append(line: Line, durable: boolean): Promise<void> {
      batch.push(`${JSON.stringify(line)}\n`);
      needsSync ||= durable;
      if (!written) {
        written = writing.then(flush);
        // A failed write is told to those who wait for it; those who come later get their own.
        writing = written.catch(() => {});
      }
      return written;
    },
    async close(): Promise<void> {
      await written;
      await writing;
      await file.datasync();
      await file.close();
    },
  };
}

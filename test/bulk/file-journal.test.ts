import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chargedAmount } from '../../src/bulk/amounts.js';
import { type AcceptedSale, type BulkItem, fileJournal, type OpenJournal } from '../../src/bulk/index.js';
import { decodeLine, encodeLine, isTornLine, type JournalLine } from '../../src/bulk/journal-format.js';
import { createWriter } from '../../src/bulk/journal-writer.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billpay-journal-'));
  path = join(folder, 'run.journal');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const airtime = (key: string, amount = 100): BulkItem => ({
  product: 'airtime',
  params: { biller: 'MTN', recipient: '08031234567', amount },
  idempotency_key: key,
});

async function use<T>(work: (journal: OpenJournal) => Promise<T> | T): Promise<T> {
  const journal = await fileJournal(path).open();
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const accepted = (key: string, reference: string, amount = 100) =>
  ({ state: 'accepted', key, reference, amount }) as const;

/** Any text, with the separators that other programs break lines at. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.stringMatching(/^[a-z\u2028\u2029\u0085\v\f\r\n\0"\\]{1,12}$/u),
);

describe('what is written can be read again', () => {
  it('whatever keys, references and amounts are', async () => {
    const sale = fc.record({
      key: text.filter((key) => key.trim() !== ''),
      reference: text,
      asked: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
      amount: fc.anything(),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(sale, { selector: ({ key }) => key, maxLength: 6 }), async (sales) => {
        rmSync(path, { force: true });
        const kobo = (amount: number) => Math.round(amount * 100);
        let sum = 0;
        await use(async (journal) => {
          for (const { key, reference, asked, amount } of sales) {
            const item = airtime(key, asked);
            const charged = chargedAmount(item, { amount: amount as number });
            expect(Number.isFinite(charged) && charged >= 0).toBe(true);
            sum += kobo(charged);
            await journal.begin(item);
            await journal.end(accepted(key, reference, charged));
          }
        });
        await use(async (journal) => {
          expect(kobo(journal.totals().acceptedAmount)).toBe(sum);
          const found = await listed<AcceptedSale>(journal.accepted());
          expect(found.map(({ key, reference }) => [key, reference])).toEqual(
            sales.map(({ key, reference }) => [key, reference]),
          );
        });
      }),
      { numRuns: 60 },
    );
  });

  it('line by line, on one line each', () => {
    const line: fc.Arbitrary<JournalLine> = fc.oneof(
      fc.record({
        t: fc.constant('end' as const),
        state: fc.constantFrom('refused' as const, 'unknown' as const, 'deferred' as const),
        key: text,
        error: text,
      }),
      fc.record({
        t: fc.constant('end' as const),
        state: fc.constant('accepted' as const),
        key: text,
        reference: text,
        amount: fc.double({ min: 0, max: 1e9, noNaN: true }),
      }),
      fc.record({ t: fc.constant('settled' as const), key: text, reference: text, status: text }),
    );
    fc.assert(
      fc.property(line, (written) => {
        const encoded = encodeLine(written);
        expect(encoded.indexOf('\n')).toBe(encoded.length - 1);
        expect(decodeLine(encoded.slice(0, -1))).toEqual({
          ...written,
          ...('amount' in written && { amount: written.amount + 0 }),
        });
        for (let end = 0; end < encoded.length; end++) expect(isTornLine(encoded.slice(0, end))).toBe(true);
      }),
    );
  });

  it.each([
    [500, 500],
    [0, 0],
    [undefined, 100],
    [null, 100],
    ['1,000.00', 100],
    [-5, 100],
    [Number.NaN, 100],
    [Number.POSITIVE_INFINITY, 100],
    [1e300, 100],
  ])('an amount of %j counts as %d when 100 was asked for', (amount, counted) => {
    expect(chargedAmount(airtime('a'), { amount: amount as number })).toBe(counted);
  });

  it('an unknown amount counts as 0 when the item names none', () => {
    const item: BulkItem = {
      product: 'data',
      params: { biller: 'MTN', recipient: '0803', product_code: 'D-1' },
      idempotency_key: 'a',
    };
    expect(chargedAmount(item, { amount: undefined as unknown as number })).toBe(0);
  });
});

describe('a line that a crash tore', () => {
  it('is cut off wherever it was torn, and nothing before it is lost', async () => {
    await use(async (journal) => {
      await journal.begin(airtime('a'));
      await journal.end(accepted('a', 'TXN-1'));
    });
    const whole = readFileSync(path, 'utf8');
    const lines: JournalLine[] = [
      { t: 'start', item: airtime('ünïcode\u2028') },
      { t: 'end', ...accepted('b', 'TXN-2') },
      { t: 'settled', key: 'a', reference: 'TXN-1', status: 'success' },
    ];
    for (const line of lines) {
      const bytes = Buffer.from(encodeLine(line));
      for (let length = 0; length < bytes.length; length += 7) {
        writeFileSync(path, Buffer.concat([Buffer.from(whole), bytes.subarray(0, length)]));
        await use((journal) => expect(journal.totals().counts.accepted).toBe(1));
        expect(readFileSync(path, 'utf8')).toBe(whole);
      }
    }
  });

  it('is cut off together with the zeros of a power cut', async () => {
    await use((journal) => journal.begin(airtime('a')));
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, '{"t":"end","sta\0\0\0\0');
    await use((journal) => expect(journal.find('a')?.state).toBe('started'));
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });
});

describe('a file that is no journal', () => {
  it.each<[string, string | Buffer]>([
    ['a text without a line feed', 'precious'],
    ['a text', 'first line\nsecond line\n'],
    ['a text whose last line is open', 'first line\nsecond line'],
    ['a JSON document', '{\n  "name": "precious"\n}'],
    ['a log of JSON lines, cut off', '{"level":"info","msg":"started"}\n{"level":"in'],
    ['a log of JSON lines whose fields resemble a journal', '{"t":"2026-01-31","msg":"started"}'],
    ['a CSV file', 'phone,amount\n08031234567,500\n08037654321,200'],
    ['bytes', Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 37 + 11) % 256))],
    ['a large file without a line feed', Buffer.alloc(300_000, 120)],
    ['an empty line', '\n'],
  ])('is refused and left as it is: %s', async (_, content) => {
    writeFileSync(path, content);
    await expect(fileJournal(path).open()).rejects.toMatchObject({ name: 'JournalCorruptError', line: 1 });
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(folder)).toEqual(['run.journal']);
  });

  it('is refused with the number of its line when journal lines stand before it', async () => {
    await use((journal) => journal.begin(airtime('a')));
    appendFileSync(path, 'not a line of a journal');
    const before = readFileSync(path, 'utf8');
    await expect(fileJournal(path).open()).rejects.toMatchObject({ name: 'JournalCorruptError', line: 2 });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('is refused as a symbolic link, to a file or to nothing, and its target is left alone', async () => {
    const target = join(folder, 'target');
    symlinkSync(target, path);
    await expect(fileJournal(path).open()).rejects.toThrow(/path: is a symbolic link/);
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, '');
    await expect(fileJournal(path).open()).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['run.journal', 'target']);
  });

  it('is refused as a folder', async () => {
    mkdirSync(path);
    await expect(fileJournal(path).open()).rejects.toThrow(/path: is not a regular file/);
  });
});

describe('the file', () => {
  it('is created for its owner alone, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await use(() => {});
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it('is held by one run at a time', async () => {
    await use(async () => {
      await expect(fileJournal(path).open()).rejects.toMatchObject({ name: 'JournalBusyError' });
    });
    await use(() => {});
  });

  it('is not written to any more once its lock is lost, and a later run reads it', async () => {
    const journal = await fileJournal(path).open();
    await journal.begin(airtime('a'));
    rmSync(`${path}.lock`);
    await expect
      .poll(async () => journal.begin(airtime(`${performance.now()}`)).then(() => 'written', String), {
        timeout: 15_000,
      })
      .toMatch(/JournalBusyError/);
    await journal.close();
    await use((later) => expect(later.find('a')?.state).toBe('started'));
  }, 20_000);
});

describe('a write that fails', () => {
  const line = { t: 'settled', key: 'a', reference: 'TXN-1', status: 'success' } as const;
  const held = { verify: () => Promise.resolve() };

  /** A real file whose disk is full for a while: the end of what is appended does not get through. */
  async function openFull() {
    const real = await open(path, 'a+');
    let full = false;
    const fill = (to: boolean) => {
      full = to;
    };
    const file = new Proxy(real, {
      get(target, name) {
        if (name === 'appendFile' && full) {
          return async (written: string) => {
            await target.appendFile(written.slice(0, -9));
            throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { real, file: file as FileHandle, fill };
  }

  it('ends the writer, although there is space again, so that the next run can repair the file', async () => {
    await use((journal) => journal.begin(airtime('a')));
    const { real, file, fill } = await openFull();
    const writer = createWriter(file, held);
    await writer.append(line, true);
    fill(true);
    const failed = writer.append(line, true);
    const behind = writer.append(line, false);
    await expect(failed).rejects.toThrow('ENOSPC');
    await expect(behind).rejects.toThrow('ENOSPC');
    fill(false);
    await expect(writer.append(line, true)).rejects.toThrow('ENOSPC');
    await writer.close();
    await real.close();
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(false);
    await use((journal) => expect(journal.totals().counts.started).toBe(1));
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
  });

  it('ends the writer when the lock was lost before or during it', async () => {
    for (const verifications of [0, 1]) {
      const real = await open(path, 'a+');
      let left = verifications;
      const writer = createWriter(real, {
        verify: () => (left-- > 0 ? Promise.resolve() : Promise.reject(new Error('lost'))),
      });
      await expect(writer.append(line, true)).rejects.toThrow('lost');
      await expect(writer.append(line, true)).rejects.toThrow('lost');
      await writer.close();
      await real.close();
      expect(readFileSync(path, 'utf8')).toBe(verifications === 0 ? '' : encodeLine(line));
    }
  });
});

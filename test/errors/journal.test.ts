import { expect, it } from 'vitest';
import { JournalBusyError, JournalCorruptError } from '../../src/bulk/errors.js';
import { BillPayError } from '../../src/errors/base.js';

it('a journal in use names the process that has it, and the remedy', () => {
  const error = new JournalBusyError('/shop/orders.jsonl', 4321);
  expect(error).toBeInstanceOf(BillPayError);
  expect(error).toBeInstanceOf(JournalBusyError);
  expect(error).not.toBeInstanceOf(JournalCorruptError);
  expect(error).toMatchObject({ name: 'JournalBusyError', code: 'JOURNAL_BUSY', pid: 4321 });
  expect(error.message).toMatch(/process 4321.*\/shop\/orders\.jsonl.*Wait for it to end, or stop it/);
});

it('a damaged journal names the line, and the remedy', () => {
  const error = new JournalCorruptError('/shop/orders.jsonl', 17);
  expect(error).toBeInstanceOf(BillPayError);
  expect(error).toBeInstanceOf(JournalCorruptError);
  expect(error).not.toBeInstanceOf(JournalBusyError);
  expect(error).toMatchObject({ name: 'JournalCorruptError', code: 'JOURNAL_CORRUPT', line: 17 });
  expect(error.message).toMatch(/Line 17.*\/shop\/orders\.jsonl.*restore it/);
});

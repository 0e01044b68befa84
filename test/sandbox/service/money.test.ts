import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSandbox, type FaultOptions, type Sandbox, triggers } from '../../../src/sandbox/index.js';
import { audit } from '../../../src/sandbox/lab/audit.js';
import type { SandboxTransaction } from '../../../src/sandbox/records/objects.js';
import { Wallet } from '../../../src/sandbox/service/clients.js';

/** One thing that a day brings. */
type Step =
  | { do: 'buy'; client: string; key: string; recipient: string; amount: number; copies: number }
  | { do: 'settle'; which: number; outcome: 'success' | 'failed' }
  | { do: 'fault'; fault: FaultOptions }
  | { do: 'advance'; ms: number }
  | { do: 'rotate'; client: string };

const clients = ['one', 'two'];
const client = fc.constantFrom(...clients);
const recipient = fc.constantFrom('08031234567', ...triggers.map((trigger) => trigger.recipient));

const fault: fc.Arbitrary<FaultOptions> = fc.oneof(
  fc.record({ status: fc.constantFrom(429, 500, 502, 503), when: fc.constantFrom('before', 'after') }),
  fc.record({ connection: fc.constant('close' as const), when: fc.constantFrom('before', 'after') }),
  fc.record({ delay: fc.integer({ min: 1, max: 5000 }), when: fc.constantFrom('before', 'after') }),
  fc.record({ cutBody: fc.boolean(), times: fc.integer({ min: 1, max: 3 }), headers: fc.constant({}) }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('buy' as const),
      client,
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      recipient,
      amount: fc.integer({ min: 1, max: 60_000 }).map((kobo) => kobo / 100),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      which: fc.nat(20),
      outcome: fc.constantFrom('success' as const, 'failed' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), fault }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(4000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rotate' as const), client }) },
);

/** Sends a purchase; whatever comes back, or does not, is of no interest here. */
const buy = (sandbox: Sandbox, { client, key, recipient, amount }: Step & { do: 'buy' }) =>
  sandbox
    .fetch(`${sandbox.baseUrl}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.client(client).secretKey}` },
      body: JSON.stringify({ client_id: client, biller: 'MTN', recipient, amount, idempotency_key: key }),
    })
    .then((response) => response.text())
    .catch(() => undefined);

async function live(sandbox: Sandbox, steps: readonly Step[]): Promise<void> {
  const open: Promise<unknown>[] = [];
  for (const next of steps) {
    switch (next.do) {
      case 'buy':
        for (let copy = 0; copy < next.copies; copy++) open.push(buy(sandbox, next));
        break;
      case 'settle': {
        const chosen = sandbox.transactions[next.which];
        if (chosen?.status === 'pending') await sandbox.settle(chosen.reference, next.outcome);
        break;
      }
      case 'fault':
        sandbox.faults.add(next.fault);
        break;
      case 'advance':
        await sandbox.advance(next.ms);
        break;
      case 'rotate':
        sandbox.client(next.client).rotateSecretKey();
        break;
    }
    expect(sandbox.audit().problems).toEqual([]);
  }
  sandbox.faults.clear();
  await sandbox.advance('1h');
  await Promise.all(open);
}

const kobo = (naira: number) => Math.round(naira * 100);
const start = 1000;

describe('for any interleaving of purchases, repeats, settlements and faults', () => {
  test('the books balance, every key buys at most once, and only failed transactions come back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const sandbox = createSandbox({
          clock: 'manual',
          seed: 1,
          balance: start,
          clients: clients.map((clientId) => ({ clientId })),
        });
        await live(sandbox, steps);
        expect(sandbox.audit()).toMatchObject({ ok: true, problems: [] });

        const bought = sandbox.transactions.map(
          ({ clientId, idempotency_key }) => `${clientId}/${idempotency_key}`,
        );
        expect(new Set(bought).size).toBe(bought.length);
        for (const clientId of clients) {
          const kept = sandbox.transactions.filter(
            (one) => one.clientId === clientId && one.status !== 'failed',
          );
          const spent = kept.reduce((sum, { amount }) => sum + kobo(amount), 0);
          expect(kobo(sandbox.wallet(clientId).balance)).toBe(kobo(start) - spent);
          expect(sandbox.wallet(clientId).balance).toBeGreaterThanOrEqual(0);
        }
        await sandbox.close();
      }),
      { numRuns: 150 },
    );
  });

  test('a key that was repeated until its 202 has bought exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), recipient, async (faults, to) => {
        fc.pre(to !== '08000000003' && to !== '08000000009');
        const sandbox = createSandbox({ clock: 'manual', seed: 1, clients: [{ clientId: 'one' }] });
        for (const one of faults) sandbox.faults.add(one);
        const order: Step & { do: 'buy' } = {
          do: 'buy',
          client: 'one',
          key: 'a',
          recipient: to,
          amount: 10,
          copies: 1,
        };
        for (let attempt = 0; attempt < 25; attempt++) {
          const sent = buy(sandbox, order);
          await sandbox.advance('10s');
          if ((await sent)?.includes('PROCESSING')) break;
        }
        expect(sandbox.transactions).toHaveLength(1);
        expect(sandbox.wallet().ledger.filter(({ kind }) => kind === 'debit')).toHaveLength(1);
        expect(sandbox.audit().problems).toEqual([]);
        await sandbox.close();
      }),
      { numRuns: 100 },
    );
  });

  test('concurrent requests with one key charge once, over a port too', async () => {
    const sandbox = createSandbox({ settleAfter: 'manual' });
    const { baseUrl } = await sandbox.listen();
    const { clientId: client_id, secretKey } = sandbox.credentials;
    const order = { client_id, biller: 'MTN', recipient: '0803', amount: 10, idempotency_key: 'a' };
    const replies = await Promise.all(
      Array.from({ length: 30 }, () =>
        fetch(`${baseUrl}/airtime/purchase`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secretKey}` },
          body: JSON.stringify(order),
        }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(sandbox.transactions).toHaveLength(1);
    expect(sandbox.wallet().balance).toBe(99_990);
    await sandbox.close();
  });

  test('amounts never drift: thousands of odd kobo add up to the last one', async () => {
    const sandbox = createSandbox({ settleAfter: 'manual', balance: 2000 });
    const { clientId } = sandbox.credentials;
    const order = { do: 'buy', client: clientId, recipient: '0803', amount: 0.1, copies: 1 } as const;
    for (let count = 0; count < 3000; count++) await buy(sandbox, { ...order, key: `k${count}` });
    expect(sandbox.wallet().balance).toBe(1700);
    expect(sandbox.audit()).toMatchObject({ ok: true, transactions: 3000, debited: 300, refunded: 0 });
    await sandbox.close();
  });
});

describe('audit finds what is wrong', () => {
  const bought = (fields: Partial<SandboxTransaction> = {}): SandboxTransaction => ({
    reference: 'TXN-1',
    clientId: 'one',
    operation: 'airtime.purchase',
    product: 'airtime',
    biller: 'MTN',
    recipient: '0803',
    product_code: undefined,
    quantity: 1,
    meter_type: undefined,
    idempotency_key: 'a',
    amount: 10,
    status: 'success',
    token: null,
    refunded: false,
    acceptedAt: new Date(0),
    created_at: '2026-01-31 09:30:00',
    updated_at: '2026-01-31 09:30:00',
    completed_at: undefined,
    settledAt: undefined,
    settlesAt: undefined,
    ...fields,
  });

  const wallet = (...entries: ['fund' | 'debit' | 'refund', number, Partial<SandboxTransaction>?][]) => {
    const made = new Wallet('one');
    for (const [kind, amount, fields] of entries) {
      if (kind === 'fund') made.fund(amount, new Date(0));
      else made[kind](amount, bought(fields), new Date(0));
    }
    return made;
  };

  test('nothing, where nothing is', () => {
    const failed = { reference: 'TXN-2', idempotency_key: 'b', status: 'failed', refunded: true } as const;
    const report = audit(
      [bought(), bought(failed)],
      [wallet(['fund', 100], ['debit', 10], ['debit', 10, failed], ['refund', 10, failed])],
    );
    expect(report).toEqual({
      ok: true,
      problems: [],
      transactions: 2,
      debits: 2,
      refunds: 1,
      debited: 20,
      refunded: 10,
      balance: 90,
    });
  });

  test.each([
    ['a transaction without its debit', [bought()], wallet(['fund', 100]), 'TXN-1 was debited 0 times'],
    [
      'a double debit',
      [bought()],
      wallet(['fund', 100], ['debit', 10], ['debit', 10]),
      'TXN-1 was debited 2 times',
    ],
    [
      'a debit without a transaction',
      [],
      wallet(['fund', 100], ['debit', 10]),
      'a debit of 10 from one belongs to no transaction',
    ],
    [
      'a debit of another amount',
      [bought()],
      wallet(['fund', 100], ['debit', 11]),
      'a debit of 11 from one belongs to no transaction',
    ],
    [
      'a debit under another key',
      [bought()],
      wallet(['fund', 100], ['debit', 10, { idempotency_key: 'z' }]),
      'a debit of 10 from one belongs to no transaction',
    ],
    [
      'a failed transaction without a refund',
      [bought({ status: 'failed' })],
      wallet(['fund', 100], ['debit', 10]),
      'TXN-1 is failed and was refunded 0 times',
    ],
    [
      'a refund that the transaction does not know',
      [bought({ status: 'failed' })],
      wallet(['fund', 100], ['debit', 10], ['refund', 10]),
      'TXN-1 is failed and was refunded 1 times',
    ],
    [
      'a successful transaction with a refund',
      [bought()],
      wallet(['fund', 100], ['debit', 10], ['refund', 10]),
      'TXN-1 is success and was refunded 1 times',
    ],
    [
      'a key that bought twice',
      [bought(), bought({ reference: 'TXN-2' })],
      wallet(['fund', 100], ['debit', 10], ['debit', 10, { reference: 'TXN-2' }]),
      'idempotency_key a bought twice: TXN-1 and TXN-2',
    ],
    ['a wallet below zero', [bought()], wallet(['debit', 10]), 'the wallet of one went below zero at TXN-1'],
  ])('%s', (_, transactions, books, problem) => {
    const report = audit(transactions, [books]);
    expect(report.ok).toBe(false);
    expect(report.problems).toContain(problem);
  });

  test('a balance that is not the sum of its ledger', () => {
    const { ledger } = wallet(['fund', 100]);
    expect(audit([], [{ clientId: 'one', balance: 101, ledger }]).problems).toEqual([
      'the wallet of one holds 101, but its ledger comes to 100',
    ]);
  });

  test('a ledger that does not add up', () => {
    const ledger = wallet(['fund', 100]).ledger.map((entry) => ({ ...entry, balance: 99 }));
    expect(audit([], [{ clientId: 'one', balance: 100, ledger }]).problems).toEqual([
      'the ledger of one does not add up at funding',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { BillPayOptions } from '../../src/index.js';
import { clientOf, rejectionOf, useWire, valid } from '../support/wire.js';

const wire = useWire();

/** A client whose warnings are kept. */
function watched(options: BillPayOptions = {}) {
  const lines: unknown[][] = [];
  const silent = () => {};
  const logger = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (...line: unknown[]) => void lines.push(line),
  };
  return { lines, billpay: clientOf({ logger, logLevel: 'warn', ...options }) };
}

const purchase = (recipient: string) => ({
  biller: 'MTN',
  recipient,
  amount: valid.purchase.data.amount,
  idempotency_key: 'order-1',
});

describe('a recipient with blanks or separators', () => {
  it.each([
    '0803 123 4567',
    ' 08031234567',
    '08031234567\n',
    '0803-123-4567',
    '0803.123.4567',
    '0803/123/4567',
    '0803,1234567',
    '0803_1234567',
    '(0803)1234567',
    '[0803]1234567',
    '0803\u00a01234567',
    '0803\u20111234567',
    '\u202a08031234567\u202c',
    '0803\u200b1234567',
    '\ufeff08031234567',
    '0803\u20601234567',
  ])('%j is warned of once, and sent unchanged', async (recipient) => {
    wire.respond({ status: 202, body: { ...valid.purchase, data: { ...valid.purchase.data, recipient } } });
    const { lines, billpay } = watched();
    await billpay.airtime.purchase(purchase(recipient));
    expect(lines).toEqual([
      [
        'billpay airtime.purchase: the recipient contains blanks or separators; it is sent unchanged, and the service may refuse it',
        { operation: 'airtime.purchase', recipient: expect.stringContaining('**') },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain(recipient);
    expect(JSON.parse(String(wire.sent[0]?.body))).toMatchObject({ recipient });
  });

  it('is warned of by validate calls too', async () => {
    wire.respond({ body: valid.validate });
    const { lines, billpay } = watched();
    await billpay.tv.validate({ biller: 'DSTV', recipient: '0211 0144711' });
    expect(lines[0]?.[0]).toContain('billpay tv.validate: the recipient contains blanks');
  });

  it('is not warned of below the log level', async () => {
    wire.respond({ status: 202, body: valid.purchase });
    const { lines, billpay } = watched({ logLevel: 'error' });
    await billpay.airtime.purchase(purchase('0803 123 4567'));
    expect(lines).toEqual([]);
  });
});

describe('a recipient without', () => {
  it.each(['08031234567', '+2348031234567', '0124000952992', '12345678AB'])(
    '%j is not warned of',
    async (recipient) => {
      wire.respond({ status: 202, body: { ...valid.purchase, data: { ...valid.purchase.data, recipient } } });
      const { lines, billpay } = watched();
      await billpay.airtime.purchase(purchase(recipient));
      expect(lines).toEqual([]);
    },
  );
});

describe('a biller', () => {
  it('that no list names is sent, with one line for each name', async () => {
    wire.respond({ body: valid.catalogue });
    const { lines, billpay } = watched();
    for (const biller of ['T2', 'T2', 'SMILE', 'mtn', '9Mobile']) await billpay.data.products({ biller });
    expect(wire.sent).toHaveLength(5);
    expect(lines.map(([message]) => message)).toEqual(
      ['T2', 'SMILE'].map(
        (biller) =>
          `billpay data.products: the biller ${biller} is not documented, and is sent unchanged: data has MTN, AIRTEL, GLO, 9MOBILE`,
      ),
    );
  });

  it.each<[string, (billpay: ReturnType<typeof watched>['billpay']) => PromiseLike<unknown>, string]>([
    [
      'a purchase',
      (billpay) => billpay.airtime.purchase({ ...purchase('08031234567'), biller: 'DSTV' }),
      'tv',
    ],
    ['a catalogue', (billpay) => billpay.tv.products({ biller: 'GLO' }), 'airtime and data'],
    [
      'a validate call',
      (billpay) => billpay.edu.validate({ biller: 'ikedc', recipient: '1' }),
      'electricity',
    ],
  ])('of another product is refused before %s is sent', async (_, call, owner) => {
    const { billpay } = watched();
    const error = await rejectionOf(call(billpay));
    expect(error).toMatchObject({ name: 'ValidationError', attempts: 0, mayHaveCharged: false });
    expect(error).toHaveProperty('errors.biller', expect.stringContaining(`belongs to ${owner}: `));
    expect(wire.sent).toEqual([]);
  });

  it('of another product is named together with all other problems', async () => {
    const params = { ...purchase(''), biller: 'DSTV', amount: 0 };
    const error = await rejectionOf(watched().billpay.airtime.purchase(params));
    expect(Object.keys((error as { errors: object }).errors).sort()).toEqual([
      'amount',
      'biller',
      'recipient',
    ]);
  });

  it('of another product leaves a resumed sale in doubt', async () => {
    const params = { ...purchase('08031234567'), biller: 'DSTV' };
    const error = await rejectionOf(watched().billpay.airtime.purchase(params, { resume: true }));
    expect(error).toMatchObject({ name: 'ValidationError', mayHaveCharged: true });
  });
});

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/client-options.js';
import { mask, warnOfUnlistedBiller } from '../../src/http/report.js';
import type { BillPayOptions } from '../../src/index.js';
import { keptLines } from '../support/script.js';
import { baseUrl, clientId, clientOf, rejectionOf, secretKey, useWire, valid } from '../support/wire.js';

const wire = useWire();

/** A client whose warnings are kept. */
function watched(options: BillPayOptions = {}) {
  const { lines, messages, logger } = keptLines();
  return { lines, messages, billpay: clientOf({ logger, logLevel: 'warn', ...options }) };
}

const purchase = (recipient: string) => ({
  biller: 'MTN',
  recipient,
  amount: valid.purchase.data.amount,
  idempotency_key: 'order-1',
});

describe('a recipient with blanks or separators', () => {
  const buy = async (recipient: string, options?: BillPayOptions) => {
    const { lines, billpay } = watched(options);
    await billpay.airtime.purchase(purchase(recipient));
    expect(JSON.parse(String(wire.sent.at(-1)?.body))).toMatchObject({ recipient });
    return lines;
  };

  it.each([
    '0803 123 4567',
    ' 08031234567',
    '08031234567\n',
    ...Array.from('-./,_\u00a0\u2011\u200b\u2060', (separator) => `0803${separator}1234567`),
    '(0803)1234567',
    '[0803]1234567',
    '\u202a08031234567\u202c',
    '\ufeff08031234567',
  ])('%j is warned of once, and sent unchanged', async (recipient) => {
    const lines = await buy(recipient);
    expect(lines).toEqual([
      [
        'warn',
        expect.stringContaining('the recipient contains blanks or separators; it is sent unchanged'),
        { operation: 'airtime.purchase', recipient: expect.stringContaining('**') },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain(recipient);
  });

  it('is warned of by validate calls too, and not below the log level', async () => {
    const { messages, billpay } = watched();
    await billpay.tv.validate({ biller: 'DSTV', recipient: '0211 0144711' });
    expect(messages()).toEqual([
      expect.stringContaining('billpay tv.validate: the recipient contains blanks'),
    ]);
    expect(await buy('0803 123 4567', { logLevel: 'error' })).toEqual([]);
  });

  it('is the only one: any other is taken as it is', async () => {
    for (const recipient of ['08031234567', '+2348031234567', '0124000952992', '12345678AB']) {
      expect(await buy(recipient)).toEqual([]);
    }
  });
});

it.each([
  ['0801', '****'],
  ['1234567', '*******'],
  ['12345678', '1234*678'],
])('of the recipient %j a log shows %j', (recipient, shown) => {
  expect(mask(recipient)).toBe(shown);
});

describe('a biller', () => {
  it('that no list names is sent, with one line for each name', async () => {
    const { lines, billpay } = watched();
    for (const biller of ['T2', 'T2', 'SMILE', 'mtn', '9Mobile']) await billpay.data.products({ biller });
    expect(wire.sent).toHaveLength(5);
    expect(lines).toEqual(
      ['T2', 'SMILE'].map((biller) => [
        'warn',
        `billpay data.products: the biller ${biller} is not documented, and is sent unchanged: data has MTN, AIRTEL, GLO, 9MOBILE`,
        { operation: 'data.products' },
      ]),
    );
  });

  it('is warned of again after a thousand others, because no more lines are remembered', () => {
    const { messages, logger } = keptLines();
    const config = resolveOptions(
      { apiKey: secretKey, clientId, baseUrl, logger },
      { env: {}, isBrowser: false },
    );
    const warned = (biller: string) => {
      const before = messages().length;
      warnOfUnlistedBiller(config, 'data.products', 'data', biller);
      return messages().length > before;
    };
    const names = Array.from({ length: 1000 }, (_, n) => `NEW${n}`);
    expect(names.every(warned)).toBe(true);
    expect(['NEW0', 'NEW1000', 'NEW1000', 'NEW0'].map(warned)).toEqual([false, true, false, true]);
  });

  it.each<[string, (billpay: ReturnType<typeof watched>['billpay']) => PromiseLike<unknown>, string]>([
    [
      'a purchase',
      (billpay) => billpay.airtime.purchase({ ...purchase('08031234567'), biller: 'DSTV' }),
      'tv',
    ],
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
});

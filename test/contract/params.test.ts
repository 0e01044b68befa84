import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import { BillPay, ValidationError } from '../../src/index.js';
import { callBy, complete, operationNames as names } from '../support/every-call.js';
import { clientOf, rejectionOf, valid } from '../support/wire.js';

/** The parameters of a call, as messages list them. */
const namesOf = (name: OperationName): string =>
  Object.keys(operations[name].paramsSchema().shape).join(', ');

const phone = '08031234567';
/** A client whose requests are counted. Each gets a documented response. */
function counted() {
  let sent = 0;
  const bodies: Record<string, unknown> = {
    // Without an echo that could belong to another purchase.
    purchase: { status: 'pending', data: { reference: 'TXN-1' } },
    products: valid.catalogue,
    validate: valid.meter,
    subscribe: valid.subscription,
  };
  const fetch = async (input: unknown) => {
    sent++;
    const { pathname, searchParams } = new URL(String(input));
    const kind = pathname.split('/').at(-1) ?? '';
    if (kind !== 'status') return Response.json(bodies[kind]);
    // About the transaction that was asked for.
    const data = { ...valid.transaction.data, reference: searchParams.get('reference') };
    return Response.json({ ...valid.transaction, data });
  };
  return { billpay: clientOf({ fetch }), sent: () => sent };
}

/** The problem of each wrong field in a call that must not be sent. */
async function problemsOf(name: OperationName, params: unknown): Promise<Record<string, string>> {
  const { billpay, sent } = counted();
  const error = await rejectionOf(callBy(billpay, name, params));
  expect(sent()).toBe(0);
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toMatchObject({
    code: 'VALIDATION_FAILED',
    operation: name,
    status: undefined,
    attempts: 0,
    mayHaveCharged: false,
    body: undefined,
    headers: undefined,
  });
  if (!(error instanceof ValidationError)) throw error;
  const list = Object.entries(error.errors).map(([field, text]) => `${field} ${text}`);
  expect(error.message).toBe(`${name} was not sent: ${list.join('; ')}.`);
  return error.errors;
}

interface Field {
  /** The message when it is left out or null; undefined for an optional field. */
  readonly missing?: string;
  /** Values that are refused, behind the message for them. */
  readonly wrong: readonly (readonly [said: string, ...values: unknown[]])[];
  /** Values that are accepted. */
  readonly right: readonly unknown[];
}

const words = (what: string, right: readonly unknown[] = []): Field => ({
  missing: `is required: the ${what}`,
  wrong: [
    [`must not be empty: give the ${what}`, '', ' \t\n'],
    [`must be a string: the ${what}`, 7, {}, ['MTN'], true],
  ],
  right: ['x', '9jaPay', 'ünï', ...right],
});

const identifier = (what: string, example: string, isRequired = true): Field => ({
  ...(isRequired && { missing: `is required: the ${what}, such as '${example}'` }),
  wrong: [
    [`must not be empty: give the ${what}, such as '${example}'`, '', '  '],
    [
      `must be a string, not a number: a number loses leading zeros; write the ${what} in quotes, such as '${example}'`,
      ...[8031234567, 0, Number.NaN, 10n],
    ],
    [`must be a string: the ${what}, such as '${example}'`, {}, false, []],
  ],
  right: ['08031234567', '+234 803 123 4567', '0', 'not a phone at all'],
});

const amount = (isRequired: boolean): Field => ({
  ...(isRequired && { missing: 'is required: the amount in NGN, as a number' }),
  wrong: [
    ['must be a number of NGN, not a string: 500, not "500"', '500', ''],
    ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(
      (value) => [`must be a finite number of NGN, not ${value}`, value] as const,
    ),
    ['must be at least 0.01 NGN', 0, -0, -500, 0.009],
    ['must be a number of NGN', 500n, {}, true, new Date()],
  ],
  right: [0.01, 1, 99.99, 1e9],
});

const longUrl = (length: number) => `https://shop.example/${'x'.repeat(length - 21)}`;
const notLoopback = [
  'shop.example',
  '127.0.0.1.shop.example',
  'localhost.shop.example',
  '128.0.0.1',
  '0.0.0.0',
];
const loopback = ['localhost:4000', 'LOCALHOST', 'shop.localhost', '127.0.0.1:1', '127.8.9.1', '[::1]:4000'];
const orEmpty = "the unique value for this purchase, such as the order's id";

/** The fields that are the same in every operation. */
const common: Readonly<Record<string, Field>> = {
  product_code: words("product_code from this biller's products list"),
  customer_phone: identifier('phone number', '08031234567', false),
  reference: identifier('reference', 'TXN-20260101-000001'),
  meter_type: {
    missing: "is required: 'prepaid' or 'postpaid'",
    wrong: [["must be 'prepaid' or 'postpaid'", '', 'PREPAID', 'smart', 1, {}]],
    right: ['prepaid', 'postpaid'],
  },
  idempotency_key: {
    wrong: [
      [
        "was given as undefined: give your order's own id, or leave idempotency_key out to have one made",
        undefined,
      ],
      [`must not be empty: give ${orEmpty}`, '', '  '],
      [`must be a string: ${orEmpty.replace('the', 'your')}`, 77, null, {}],
    ],
    right: ['order-77', 'ordre n° 7', 'x'.repeat(5000)],
  },
  quantity: {
    wrong: [
      ['must be a whole number of at least 1', 0, -1, 1.5, '2', Number.NaN, Number.POSITIVE_INFINITY],
      ['must be a whole number of at least 1', 2 ** 53, 1n, {}, null],
    ],
    right: [1, 2, 1000],
  },
  url: {
    missing: 'is required: the webhook endpoint, an https URL',
    wrong: [
      ['must not be empty: give the webhook endpoint, an https URL', ''],
      ['must be a string: the webhook endpoint, an https URL', 7, new URL('https://shop.example/')],
      ["must be a full URL, such as 'https://example.com/webhooks/billpay'", ...['/hooks', 'https://']],
      ['lacks its scheme: write https://shop.example/hooks', 'shop.example/hooks'],
      ['lacks its scheme: write http://localhost:3000/hooks', 'localhost:3000/hooks'],
      [
        'must be https: http is accepted for loopback hosts only (localhost, 127.0.0.1, [::1])',
        ...[...notLoopback, '10.0.0.1', '[::2]'].map((host) => `http://${host}/hooks`),
      ],
      ['must be an https URL', 'ftp://shop.example/hooks', 'javascript:alert(1)'],
      ['must be at most 2048 characters; this one has 2049', longUrl(2049)],
    ],
    right: [
      ...['https://shop.example/hooks', 'HTTPS://SHOP.EXAMPLE', 'https://shop.example:8443/hooks?x=1'],
      ...loopback.map((host) => `http://${host}/hooks`),
      longUrl(2048),
    ],
  },
  enabled: { wrong: [['must be true or false', 'true', 1, null, {}]], right: [true, false] },
};

const recipients: Readonly<Record<string, Field>> = {
  airtime: identifier('phone number', '08031234567'),
  data: identifier('phone number', '08031234567'),
  tv: identifier('smartcard number', '02110144711'),
  electricity: identifier('meter number', '0124000952992'),
  'edu.validate': identifier('profile ID', '0123456789'),
  'edu.purchase': identifier('profile ID (for WAEC: phone number)', '0123456789'),
};
const billers: Readonly<Record<string, string>> = {
  airtime: 'MTN',
  data: 'MTN',
  tv: 'DSTV',
  electricity: 'IKEDC',
  edu: 'WAEC',
};

/** The rules of a field of an operation. */
function ruleOf(name: OperationName, field: string): Field {
  const [product = ''] = name.split('.');
  const example = billers[product] ?? '';
  const right = [example, example.toLowerCase(), 'Another & Co'];
  if (field === 'biller') return words(`biller, such as '${example}'`, right);
  if (field === 'amount') return amount(['airtime', 'electricity'].includes(product));
  return (field === 'recipient' ? (recipients[product] ?? recipients[name]) : common[field])!;
}

const everyField = names.flatMap((name) =>
  Object.keys(complete[name]).map((field) => ({ name, field, ...ruleOf(name, field) })),
);

it('every operation has the fields that are tested here', () => {
  const known = names.map((name) => Object.keys(operations[name].paramsSchema().shape).toSorted());
  expect(names.map((name) => Object.keys(complete[name]).toSorted())).toEqual(known);
});

describe.each(everyField)('$name $field', ({ name, field, missing, wrong, right }) => {
  const without = Object.fromEntries(Object.entries(complete[name]).filter(([other]) => other !== field));
  const set = (value: unknown) => ({ ...without, [field]: value });
  const isSent = async (params: object) => {
    const { billpay, sent } = counted();
    await callBy(billpay, name, params);
    return sent() === 1;
  };

  it(missing === undefined ? 'may be left out' : 'is refused when it is left out', async () => {
    if (missing === undefined) return expect(await isSent(without)).toBe(true);
    for (const params of [without, set(undefined), set(null)]) {
      expect(await problemsOf(name, params)).toEqual({ [field]: missing });
    }
  });

  it('is refused with the reason, or accepted', async () => {
    for (const [said, ...values] of wrong) {
      for (const value of values) expect(await problemsOf(name, set(value))).toEqual({ [field]: said });
    }
    for (const value of right) expect([value, await isSent(set(value))]).toEqual([value, true]);
  });
});

const called = names.filter((name) => name !== 'transactions.status');

const notOne = /^is not a parameter of this call; the parameters are /;

describe.each(called)('%s', (name) => {
  it('refuses params that are no object', async () => {
    for (const params of [undefined, null, 'MTN', 7, true, [], [complete[name]], () => {}, Symbol('x')]) {
      expect(await problemsOf(name, params)).toEqual({
        params: 'must be an object with the fields of this call',
      });
    }
  });

  it('refuses a name that it does not know, and suggests the nearest one', async () => {
    for (const field of ['phone_type', 'constructor', 'toString', 'hasOwnProperty', '0', '', '__proto__']) {
      const params = Object.defineProperty({ ...complete[name] }, field, { value: 1, enumerable: true });
      expect(Object.entries(await problemsOf(name, params))).toEqual([
        [field, expect.stringMatching(notOne)],
      ]);
    }
    for (const known of Object.keys(complete[name])) {
      for (const misspelt of [known.toUpperCase(), ` ${known}`, `${known}s`, known.replace('o', '0')]) {
        if (misspelt === known) continue;
        expect(await problemsOf(name, { ...complete[name], [misspelt]: 'x' })).toEqual({
          [misspelt]: `is not a parameter of this call (did you mean ${known}?); the parameters are ${namesOf(name)}`,
        });
      }
    }
  });
});

it('client_id is refused with the reason', async () => {
  expect(await problemsOf('data.products', { ...complete['data.products'], client_id: 'x' })).toEqual({
    client_id: 'is not a parameter: the client adds its own clientId to every call; remove it here',
  });
});

it('lists 20 unknown names and counts the others', async () => {
  const more = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`biler${n}`, n]));
  const errors = await problemsOf('data.products', { biller: 'MTN', ...more });
  expect(Object.keys(errors)).toHaveLength(21);
  expect(errors['biler7']).toContain('did you mean biller?');
  expect(errors['params']).toBe('has 980 more names that are not parameters of this call: remove them');
});

it('what is sent is what was checked, whatever toJSON a library has added to all objects', async () => {
  let sent: unknown;
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent = init?.body;
    return new Response('{}', { status: 500 });
  };
  const client = new BillPay({
    apiKey: 'sk_1',
    clientId: 'client-1',
    baseUrl: 'https://pay.test/api/v1',
    fetch,
    maxRetries: 0,
  });
  Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'masked', configurable: true });
  try {
    const order = { biller: 'MTN', recipient: phone, amount: 500.5, idempotency_key: 'order-1' };
    await client.airtime.purchase(order).catch(() => {});
  } finally {
    Reflect.deleteProperty(Object.prototype, 'toJSON');
  }
  expect(sent).toBe(
    `{"client_id":"client-1","biller":"MTN","recipient":"${phone}","amount":500.5,"idempotency_key":"order-1"}`,
  );
});

describe('several problems', () => {
  it('are reported at once, each under its field', async () => {
    const params = {
      biller: ' ',
      recipient: 8031234567,
      amount: '500',
      customer_phne: phone,
      client_id: 'x',
    };
    expect(await problemsOf('electricity.purchase', params)).toEqual({
      biller: expect.stringContaining('must not be empty'),
      recipient: expect.stringContaining('leading zeros'),
      meter_type: expect.stringContaining('is required'),
      amount: expect.stringContaining('not a string'),
      customer_phne: `is not a parameter of this call (did you mean customer_phone?); the parameters are ${namesOf('electricity.purchase')}`,
      client_id: expect.stringContaining('its own clientId'),
    });
  });
});

describe('any value', () => {
  const junk = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  const name = fc.constantFrom(...names);
  /** The valid fields of an operation, some of them replaced. */
  const almost = name.chain((chosen) =>
    fc
      .record({
        replaced: fc.dictionary(fc.constantFrom(...Object.keys(complete[chosen])), junk),
        added: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.object() }),
      })
      .map(({ replaced, added }) => [chosen, { ...complete[chosen], ...replaced, ...added }] as const),
  );

  it('as parameters gives a ValidationError or a request, never a synchronous exception or another error', async () => {
    const seen = { refused: 0, sent: 0 };
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.tuple(name, junk), almost), async ([chosen, params]) => {
        const { billpay, sent } = counted();
        const call = callBy(billpay, chosen, params);
        const error: unknown = await call.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error === undefined) {
          expect(sent()).toBe(1);
          seen.sent++;
        } else {
          expect(sent()).toBe(0);
          expect(error).toBeInstanceOf(ValidationError);
          expect(Object.keys(error instanceof ValidationError ? error.errors : {})).not.toEqual([]);
          seen.refused++;
        }
      }),
      { numRuns: 1000 },
    );
    // The property shows something only when both cases occur.
    expect(seen.refused).toBeGreaterThan(100);
    expect(seen.sent).toBeGreaterThan(10);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/contract/operations.js';
import { type BillPay, ValidationError } from '../../src/index.js';
import { clientOf, rejectionOf, valid } from '../support/wire.js';

/** The parameters of a call, as messages list them. */
const namesOf = (name: OperationName): string => Object.keys(operations[name].paramsSchema.shape).join(', ');

const phone = '08031234567';
const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' };

/** Valid parameters of every operation, with every field. */
const complete: Record<OperationName, Record<string, unknown>> = {
  'airtime.purchase': { biller: 'MTN', recipient: phone, amount: 500, idempotency_key: 'k' },
  'data.products': { biller: 'MTN' },
  'data.purchase': { biller: 'MTN', recipient: phone, product_code: 'p', amount: 1, idempotency_key: 'k' },
  'tv.validate': { biller: 'DSTV', recipient: '02110144711' },
  'tv.products': { biller: 'DSTV' },
  'tv.purchase': {
    biller: 'DSTV',
    recipient: '02110144711',
    product_code: 'p',
    amount: 1,
    customer_phone: phone,
    idempotency_key: 'k',
  },
  'electricity.validate': meter,
  'electricity.purchase': { ...meter, amount: 1, customer_phone: phone, idempotency_key: 'k' },
  'edu.validate': { biller: 'JAMB', recipient: '0123456789' },
  'edu.products': { biller: 'WAEC' },
  'edu.purchase': {
    biller: 'WAEC',
    recipient: phone,
    product_code: 'p',
    quantity: 1,
    customer_phone: phone,
    idempotency_key: 'k',
  },
  'transactions.status': { reference: 'TXN-1' },
  'webhooks.subscribe': { url: 'https://shop.example/hooks', enabled: true },
};
const names = Object.keys(complete) as OperationName[];

/** Calls an operation by its name, with any value. */
function callBy(billpay: BillPay, name: OperationName, params: unknown): PromiseLike<unknown> {
  if (name === 'transactions.status') {
    return billpay.transactions.status(Reflect.get(Object(params), 'reference'));
  }
  const [resource, method] = name.split('.');
  const owner: unknown = Reflect.get(billpay, resource ?? '');
  return Reflect.apply(Reflect.get(Object(owner), method ?? ''), owner, [params]);
}

/** A client whose requests are counted. Each gets a documented response. */
function counted() {
  let sent = 0;
  const bodies: Record<string, unknown> = {
    // Without an echo that could belong to another sale.
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
  /** Values that are refused, with the message for each. */
  readonly wrong: readonly (readonly [unknown, string])[];
  /** Values that are accepted. */
  readonly right: readonly unknown[];
}

const words = (what: string): Field => ({
  missing: `is required: the ${what}`,
  wrong: [
    ['', `must not be empty: give the ${what.split(',')[0]}`],
    [' \t\n', `must not be empty: give the ${what.split(',')[0]}`],
    [7, `must be a string: the ${what}`],
    [{}, `must be a string: the ${what}`],
    [['MTN'], `must be a string: the ${what}`],
    [true, `must be a string: the ${what}`],
  ],
  right: ['x', 'mtn', 'T2 Mobile', '9mobile', 'ünï'],
});

const identifier = (what: string, example: string, missing = true): Field => ({
  ...(missing && { missing: `is required: the ${what}, such as '${example}'` }),
  wrong: [
    ['', `must not be empty: give the ${what}, such as '${example}'`],
    ['  ', `must not be empty: give the ${what}, such as '${example}'`],
    ...[8031234567, 0, Number.NaN, 10n].map(
      (number) =>
        [
          number,
          `must be a string, not a number: a number loses leading zeros; write the ${what} in quotes, such as '${example}'`,
        ] as const,
    ),
    [{}, `must be a string: the ${what}, such as '${example}'`],
    [false, `must be a string: the ${what}, such as '${example}'`],
    [[], `must be a string: the ${what}, such as '${example}'`],
  ],
  right: ['08031234567', '+234 803 123 4567', '0', 'not a phone at all'],
});

const amount = (missing = true): Field => ({
  ...(missing && { missing: 'is required: the amount in NGN, as a number' }),
  wrong: [
    ['500', 'must be a number of NGN, not a string: 500, not "500"'],
    ['', 'must be a number of NGN, not a string: 500, not "500"'],
    [Number.NaN, 'must be a finite number of NGN, not NaN'],
    [Number.POSITIVE_INFINITY, 'must be a finite number of NGN, not Infinity'],
    [Number.NEGATIVE_INFINITY, 'must be a finite number of NGN, not -Infinity'],
    [0, 'must be at least 0.01 NGN'],
    [-0, 'must be at least 0.01 NGN'],
    [-500, 'must be at least 0.01 NGN'],
    [0.009, 'must be at least 0.01 NGN'],
    [500n, 'must be a number of NGN'],
    [{}, 'must be a number of NGN'],
    [true, 'must be a number of NGN'],
    [new Date(), 'must be a number of NGN'],
  ],
  right: [0.01, 1, 99.99, 1e9],
});

const wholeNumber = 'must be a whole number of at least 1';
const fullUrl = "must be a full URL, such as 'https://example.com/webhooks/billpay'";
const httpBeyond = 'must be https: http is accepted for loopback hosts only (localhost, 127.0.0.1, [::1])';
const longUrl = (length: number) => `https://shop.example/${'x'.repeat(length - 21)}`;

const customerPhone = identifier('phone number', phone, false);
const productCode = words("product_code from this biller's products list");
const billerSuchAs = (example: string): Field => {
  const said = `biller, such as '${example}'`;
  return {
    ...words(said),
    right: [example, example.toLowerCase(), 'Another & Co', '9jaPay', 'Ünïcödé'],
    wrong: words(said).wrong.map(([value, text]) => [
      value,
      text.replace('give the biller', `give the ${said}`),
    ]),
  };
};
const meterType: Field = {
  missing: "is required: 'prepaid' or 'postpaid'",
  wrong: ['', 'PREPAID', 'smart', 1, {}].map((value) => [value, "must be 'prepaid' or 'postpaid'"] as const),
  right: ['prepaid', 'postpaid'],
};
const key: Field = {
  wrong: [
    [
      undefined,
      "was given as undefined: give your order's own id, or leave idempotency_key out to have one made",
    ],
    ['', "must not be empty: give the unique value for this sale, such as the order's id"],
    ['  ', "must not be empty: give the unique value for this sale, such as the order's id"],
    [77, "must be a string: your unique value for this sale, such as the order's id"],
    [null, "must be a string: your unique value for this sale, such as the order's id"],
    [{}, "must be a string: your unique value for this sale, such as the order's id"],
  ],
  right: ['order-77', 'ordre n° 7', 'x'.repeat(5000)],
};
const phoneRecipient = identifier('phone number', phone);
const card = identifier('smartcard number', '02110144711');
const meterNumber = identifier('meter number', '0124000952992');

/** Every field of every operation. */
const fields: Record<OperationName, Record<string, Field>> = {
  'airtime.purchase': {
    biller: billerSuchAs('MTN'),
    recipient: phoneRecipient,
    amount: amount(),
    idempotency_key: key,
  },
  'data.products': { biller: billerSuchAs('MTN') },
  'data.purchase': {
    biller: billerSuchAs('MTN'),
    recipient: phoneRecipient,
    product_code: productCode,
    amount: amount(false),
    idempotency_key: key,
  },
  'tv.validate': { biller: billerSuchAs('DSTV'), recipient: card },
  'tv.products': { biller: billerSuchAs('DSTV') },
  'tv.purchase': {
    biller: billerSuchAs('DSTV'),
    recipient: card,
    product_code: productCode,
    amount: amount(false),
    customer_phone: customerPhone,
    idempotency_key: key,
  },
  'electricity.validate': { biller: billerSuchAs('IKEDC'), recipient: meterNumber, meter_type: meterType },
  'electricity.purchase': {
    biller: billerSuchAs('IKEDC'),
    recipient: meterNumber,
    meter_type: meterType,
    amount: amount(),
    customer_phone: customerPhone,
    idempotency_key: key,
  },
  'edu.validate': { biller: billerSuchAs('WAEC'), recipient: identifier('profile ID', '0123456789') },
  'edu.products': { biller: billerSuchAs('WAEC') },
  'edu.purchase': {
    biller: billerSuchAs('WAEC'),
    recipient: identifier('profile ID (for WAEC: phone number)', '0123456789'),
    product_code: productCode,
    quantity: {
      wrong: [0, -1, 1.5, '2', Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, {}, null].map(
        (value) => [value, wholeNumber] as const,
      ),
      right: [1, 2, 1000],
    },
    customer_phone: customerPhone,
    idempotency_key: key,
  },
  'transactions.status': { reference: identifier('reference', 'TXN-20260101-000001') },
  'webhooks.subscribe': {
    url: {
      missing: 'is required: the webhook endpoint, an https URL',
      wrong: [
        ['', 'must not be empty: give the webhook endpoint, an https URL'],
        [7, 'must be a string: the webhook endpoint, an https URL'],
        [new URL('https://shop.example/'), 'must be a string: the webhook endpoint, an https URL'],
        ['shop.example/hooks', fullUrl],
        ['/hooks', fullUrl],
        ['https://', fullUrl],
        ['http://shop.example/hooks', httpBeyond],
        ['http://127.0.0.1.shop.example/', httpBeyond],
        ['http://localhost.shop.example/', httpBeyond],
        ...['128.0.0.1', '0.0.0.0', '10.0.0.1', '[::2]'].map(
          (host) => [`http://${host}/hooks`, httpBeyond] as const,
        ),
        ['ftp://shop.example/hooks', 'must be an https URL'],
        ['javascript:alert(1)', 'must be an https URL'],
        [longUrl(2049), 'must be at most 2048 characters; this one has 2049'],
      ],
      right: [
        'https://shop.example/hooks',
        'HTTPS://SHOP.EXAMPLE',
        'https://shop.example:8443/hooks?x=1',
        'http://localhost:4000/hooks',
        'http://LOCALHOST/',
        'http://shop.localhost/',
        'http://127.0.0.1:1/',
        'http://127.8.9.1/',
        'http://[::1]:4000/hooks',
        longUrl(2048),
      ],
    },
    enabled: {
      wrong: ['true', 1, null, {}].map((value) => [value, 'must be true or false'] as const),
      right: [true, false],
    },
  },
};

const everyField = names.flatMap((name) =>
  Object.entries(fields[name]).map(([field, rules]) => ({ name, field, ...rules })),
);

it('has a row for every field of every operation', () => {
  const listed = names.map((name) => [name, Object.keys(fields[name]).toSorted()]);
  expect(listed).toEqual(names.map((name) => [name, Object.keys(complete[name]).toSorted()]));
  expect(names).toHaveLength(13);
});

describe.each(everyField)('$name $field', ({ name, field, missing, wrong, right }) => {
  const without = Object.fromEntries(Object.entries(complete[name]).filter(([other]) => other !== field));
  const set = (value: unknown) => ({ ...without, [field]: value });

  if (missing === undefined) {
    it('may be left out', async () => {
      const { billpay, sent } = counted();
      await callBy(billpay, name, without);
      expect(sent()).toBe(1);
    });
  } else {
    it.each([
      ['left out', without],
      ['undefined', set(undefined)],
      ['null', set(null)],
    ])(`is refused when it is %s`, async (_, params) => {
      expect(await problemsOf(name, params)).toEqual({ [field]: missing });
    });
  }

  it.each(wrong.map(([value, said]) => ({ value, said })))('refuses $value', async ({ value, said }) => {
    expect(await problemsOf(name, set(value))).toEqual({ [field]: said });
  });

  it('accepts valid values', async () => {
    for (const value of right) {
      const { billpay, sent } = counted();
      await callBy(billpay, name, set(value));
      expect(sent()).toBe(1);
    }
  });
});

const called = names.filter((name) => name !== 'transactions.status');

describe.each(called)('%s', (name) => {
  it.each([undefined, null, 'MTN', 7, true, [], [complete[name]], () => {}, Symbol('x')])(
    'refuses params %o',
    async (params) => {
      expect(await problemsOf(name, params)).toEqual({
        params: 'must be an object with the fields of this call',
      });
    },
  );

  it.each(['phone_type', 'constructor', 'toString', 'hasOwnProperty', '0', ''])(
    'refuses a field named %j',
    async (field) => {
      expect(await problemsOf(name, { ...complete[name], [field]: undefined })).toEqual({
        [field]: `is not a parameter of this call; the parameters are ${namesOf(name)}`,
      });
    },
  );

  it('suggests the nearest parameter for a misspelt one', async () => {
    for (const known of Object.keys(complete[name])) {
      for (const misspelt of [known.toUpperCase(), ` ${known}`, `${known}s`, known.replace('o', '0')]) {
        if (misspelt === known) continue;
        expect(await problemsOf(name, { ...complete[name], [misspelt]: 'x' })).toEqual({
          [misspelt]: `is not a parameter of this call (did you mean ${known}?); the parameters are ${namesOf(name)}`,
        });
      }
    }
  });

  it('refuses an own field named __proto__, as JSON.parse makes it', async () => {
    const params = { ...complete[name], ...JSON.parse('{}') };
    Object.defineProperty(params, '__proto__', { value: 1, enumerable: true });
    expect(Object.entries(await problemsOf(name, params))).toEqual([
      ['__proto__', `is not a parameter of this call; the parameters are ${namesOf(name)}`],
    ]);
  });

  it('refuses client_id, with the reason', async () => {
    expect(await problemsOf(name, { ...complete[name], client_id: 'client-042' })).toEqual({
      client_id: 'is not a parameter: the client adds its own clientId to every call; remove it here',
    });
  });
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

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RuntimeEnvironment, resolveOptions } from '../src/client-options.js';
import { missingError } from '../src/http/prepare.js';
import {
  BillPay,
  type BillPayOptions,
  type CallOptions,
  ConfigurationError,
  createPacer,
} from '../src/index.js';
import { keptLines } from './support/script.js';
import { baseUrl, clientId, clientOf, publicKey, rejectionOf, secretKey, useWire } from './support/wire.js';

const wire = useWire();
const nowhere: RuntimeEnvironment = { env: {}, isBrowser: false };
const whole = { apiKey: secretKey, clientId, baseUrl };

/** The lines about missing options, which most tests here do not look at. */
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

/** Options of any type, as a caller without a compiler passes them. */
const loosely = (options: unknown): BillPayOptions => options as BillPayOptions;

/** A value as a message shows it: numbers, true, false and null only. */
const got = (value: unknown): string => {
  const isShown = value === null || ['number', 'boolean'].includes(typeof value);
  return `; got ${isShown ? value : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`}`;
};

/** The error for options that must be refused. */
function refusalOf(options: unknown, surroundings = nowhere): ConfigurationError {
  try {
    const { missing } = resolveOptions(loosely(options), surroundings);
    if (missing) throw missingError(missing);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error('the options were expected to be refused');
}

describe('defaults', () => {
  it('are the documented ones', () => {
    expect(resolveOptions(whole, nowhere)).toEqual({
      apiKey: secretKey,
      keyKind: 'secret',
      keyName: 'the secret key of the option apiKey',
      clientId,
      baseUrl,
      timeout: 30_000,
      totalTimeout: 120_000,
      maxRetries: 4,
      transport: expect.any(Function),
      headers: {},
      logger: expect.anything(),
      logLevel: 'warn',
      onAttempt: undefined,
      redactor: expect.anything(),
      warnings: new Set(),
    });
  });

  it('are replaced by the given options', () => {
    const given = {
      ...whole,
      apiKey: publicKey,
      timeout: 0.5,
      totalTimeout: 2_147_483_647,
      maxRetries: 0,
      logLevel: 'off' as const,
      onAttempt: () => {},
    };
    expect(resolveOptions({ ...given, headers: { 'X-Shop': 'one' } }, nowhere)).toMatchObject({
      ...given,
      keyKind: 'public',
      headers: { 'x-shop': 'one' },
    });
  });
});

describe('the environment', () => {
  const env = {
    BILLPAY_API_KEY: 'sk_live_env',
    BILLPAY_CLIENT_ID: 'client-env',
    BILLPAY_BASE_URL: 'https://env.example/api/v1',
  };

  it('provides options that are not given, and no others', () => {
    const expected = { apiKey: 'sk_live_env', clientId: 'client-env', baseUrl: 'https://env.example/api/v1' };
    const none = { apiKey: undefined, clientId: undefined, baseUrl: undefined };
    for (const options of [{}, none]) {
      expect(resolveOptions(options, { ...nowhere, env })).toMatchObject(expected);
    }
    expect(resolveOptions(whole, { ...nowhere, env })).toMatchObject(whole);
    for (const name of Object.keys(none)) {
      expect(refusalOf({ ...whole, [name]: '' }, { ...nowhere, env }).option).toBe(name);
    }
  });

  it('is checked like given options', () => {
    for (const [option, wrong] of [
      ['apiKey', { BILLPAY_API_KEY: 'sk_live_env\n' }],
      ['baseUrl', { BILLPAY_BASE_URL: '' }],
    ] as const) {
      expect(refusalOf({}, { ...nowhere, env: { ...env, ...wrong } }).option).toBe(option);
    }
  });

  describe('of the process', () => {
    afterEach(() => vi.unstubAllEnvs());

    it('is read by each constructor call', async () => {
      for (const name of ['one', 'two']) {
        vi.stubEnv('BILLPAY_API_KEY', `sk_live_${name}`);
        vi.stubEnv('BILLPAY_CLIENT_ID', `client-${name}`);
        vi.stubEnv('BILLPAY_BASE_URL', `https://${name}.example/api/v1`);
        await new BillPay().data.products({ biller: 'MTN' });
      }
      expect(wire.sent.map(({ url, headers }) => [url, headers['authorization']])).toEqual([
        ['https://one.example/api/v1/data/products?client_id=client-one&biller=MTN', 'Bearer sk_live_one'],
        ['https://two.example/api/v1/data/products?client_id=client-two&biller=MTN', 'Bearer sk_live_two'],
      ]);
    });

    it('may be missing entirely', () => {
      vi.stubGlobal('process', undefined);
      try {
        expect(() => new BillPay().checkConfiguration()).toThrow('apiKey, clientId, baseUrl: are missing');
        expect(new BillPay(whole)).toBeInstanceOf(BillPay);
      } finally {
        vi.unstubAllGlobals();
      }
    });
  });
});

describe('a missing key, account or address', () => {
  const environment = {
    apiKey: 'BILLPAY_API_KEY',
    clientId: 'BILLPAY_CLIENT_ID',
    baseUrl: 'BILLPAY_BASE_URL',
  };
  it.each([[{ apiKey: '' }], [{ clientId: undefined }], [{ baseUrl: '' }], [{ apiKey: '', clientId: '' }]])(
    'is one line in the log and the error of each call, and nothing is sent: %j',
    async (absent) => {
      const names = Object.keys(absent);
      const { messages, logger } = keptLines();
      const billpay = new BillPay({ ...whole, ...absent, logger });
      expect(messages()).toEqual([expect.stringContaining(`${names.join(', ')}: `)]);
      for (const name of names)
        expect(messages()[0]).toContain(environment[name as keyof typeof environment]);
      const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-1' };
      for (const call of [
        billpay.airtime.purchase(purchase),
        billpay.purchase({ product: 'airtime', params: purchase, idempotency_key: 'order-1' }),
        billpay.data.products({ biller: 'MTN' }),
        billpay.request({ method: 'GET', path: '/later' }),
        billpay.transactions.waitUntilSettled('TXN-1'),
      ]) {
        const error = await rejectionOf(call);
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(error).toMatchObject({ option: names[0], attempts: 0, mayHaveCharged: false });
        expect(String(error)).toMatch(/missing/);
      }
      expect(wire.sent).toEqual([]);
      expect(messages()).toHaveLength(1);
      expect(() => billpay.checkConfiguration()).toThrow(ConfigurationError);
      expect(JSON.stringify(billpay)).toContain('apiKey' in absent ? '[missing]' : '[secret key, redacted]');
    },
  );

  it('leaves a resumed purchase unknown', async () => {
    const { logger } = keptLines();
    const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-1' };
    const call = new BillPay({ ...whole, apiKey: '', logger }).airtime.purchase(purchase, { resume: true });
    expect(await rejectionOf(call)).toMatchObject({ mayHaveCharged: true, idempotencyKey: 'order-1' });
  });

  it('does not hide that another one is wrong', () => {
    expect(() => new BillPay(loosely({ ...whole, apiKey: '', clientId: 'a b' }))).toThrow('whitespace');
    expect(() => new BillPay(loosely({ ...whole, clientId: '', apikey: 'x' }))).toThrow(
      'did you mean apiKey',
    );
  });
});

describe('a wrong option', () => {
  const missing = (variable: string) => new RegExp(`^is missing: pass it .* variable ${variable}$`);
  const blank = /^contains whitespace, .*: trim it, or copy it again \(the key is not shown here\)$/;
  const prefix = /^starts with neither sk_ .* nor pk_ .*: copy the whole key/;
  const notAlone = /^has a user name, .*: give the address alone, such as https:/;
  const noVersion = /^has no version segment, .*, such as https:\/\/[\w.]+\/api\/v1 /;
  const clear =
    /^sends the key in clear text over http:.*: use https:\/\/[\w.]+, or set allowInsecureHttp: true/;
  const ms = /^must be a number of milliseconds above 0, and at most 2147483647 \(24 days\); got /;
  const badHeader =
    /^contains "(X Shop|X-Shop|)", which is not a valid header \(its value is not shown here\)$/;
  const pacing = /^must be true, the return value of createPacer\(\), or \{ purchases, requests \} limiters /;
  const times = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '30', null, 2_147_483_648];

  /** What a message says after the name of the option: what is wrong, and the remedy. */
  const wrong: [option: string, said: RegExp, values: unknown[]][] = [
    ['apiKey', missing('BILLPAY_API_KEY'), [undefined, null, '']],
    ['apiKey', /^must be a string; got /, [7, { key: 'sk_live_x' }]],
    ['apiKey', blank, ['sk_live_x ', ' sk_live_x', 'sk_live_x\r\n', 'sk_live x', 'sk_live_\u00a0x']],
    ['apiKey', blank, ['sk_live_“x”', 'sk_live_\u0000x', 'sk_liveé']],
    ['apiKey', prefix, ['live_x', 'SK_live_x', 'sk_', 'pk_', 'Bearer:sk_live_x', 'whsec_live_x']],
    ['clientId', missing('BILLPAY_CLIENT_ID'), [undefined, '']],
    ['clientId', /^must be a string; got 41$/, [41]],
    ['clientId', /^contains whitespace or a line break: trim it$/, ['client 41', 'client-41\n']],
    ['clientId', /^looks like an API key: pass the account identifier/, ['sk_live_x', 'pk_live_x']],
    ['baseUrl', missing('BILLPAY_BASE_URL'), [undefined, '']],
    ['baseUrl', /^must be a string; got /, [7, new URL('https://pay.example/api/v1')]],
    [
      'baseUrl',
      /^is not a full URL: give the address with its scheme, such as https:/,
      ['pay.example/api/v1', '/api/v1', 'http://', 'ftp://pay.example/api/v1'],
    ],
    ['baseUrl', notAlone, ['https://me@pay.example/api/v1', 'https://:pw@pay.example/api/v1']],
    ['baseUrl', notAlone, ['https://pay.example/api/v1?x=1', 'https://pay.example/api/v1#x']],
    ['baseUrl', noVersion, ['https://pay.example', 'https://pay.example/api', 'https://v1.example/api/']],
    ['baseUrl', noVersion, ['https://pay.example/api/v1x']],
    ['baseUrl', clear, ['http://pay.example/api/v1', 'http://192.168.0.2/api/v1']],
    ['baseUrl', clear, ['http://localhost.example/api/v1']],
    ['timeout', ms, times],
    ['totalTimeout', ms, times],
    [
      'maxRetries',
      /^must be a whole number of at least 0; got /,
      [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '4'],
    ],
    ['fetch', /^must be a function like the global fetch; got /, [{}, null]],
    ['onAttempt', /^must be a function that takes one attempt record; got /, ['log']],
    ['onCall', /^must be a function that takes one call record; got /, ['log']],
    ['retryDelay', /^must be a function that returns a number of milliseconds; got /, [5]],
    ['aroundCall', /^must be a function that takes a call and a function next; got /, ['log']],
    [
      'headers',
      /^must be an object of strings, such as .*; got /,
      [null, 'X-Shop: one', [['X-Shop', 'one']]],
    ],
    ['headers', badHeader, [{ 'X Shop': 'one' }, { '': 'one' }, { 'X-Shop': 'one\r\nX-Evil: two' }]],
    ['headers', badHeader, [{ 'X-Shop': 7 }, { 'X-Shop': undefined }, { 'X-Shop': 'ünï→' }]],
    [
      'headers',
      /^must not contain (authorization|content-type|content-length|host): the client sets it itself$/i,
      [
        { Authorization: 'Bearer other' },
        { 'CONTENT-TYPE': 'text/plain' },
        { 'Content-Length': '7' },
        { Host: 'elsewhere.example' },
        new Headers({ authorization: 'Bearer other' }),
      ],
    ],
    [
      'logger',
      /^must be .*such as console, or pinoLogger\(logger\), winstonLogger\(logger\)/,
      [null, () => {}],
    ],
    ['logger', /; this one lacks error$/, [{ debug() {}, info() {}, warn() {} }]],
    ['logger', /; this one lacks debug, error$/, [{ info() {}, warn() {}, error: 'console' }]],
    ['logLevel', /^must be one of debug, info, warn, error, off; got /, ['verbose', 'WARN', null]],
    ['allowInsecureHttp', /^must be true or false; got /, ['true', 1, null]],
    ['pacing', pacing, ['on', 1, null, {}, { purchases: { consume() {} } }]],
    [
      'apikey',
      /^is not an option of BillPay \(did you mean apiKey\?\); the options are apiKey, /,
      ['sk_live_x'],
    ],
    ['timeOut', /^is not an option of BillPay \(did you mean timeout\?\)/, [5]],
    ['constructor', /^is not an option of BillPay/, [5]],
    ['signal', /^is not an option of BillPay/, [AbortSignal.abort()]],
  ];

  it.each(wrong.flatMap(([option, said, values]) => values.map((value) => ({ option, value, said }))))(
    '$option: $value',
    ({ option, value, said }) => {
      const error = refusalOf({ ...whole, [option]: value });
      expect(error).toMatchObject({
        name: 'ConfigurationError',
        code: 'CONFIGURATION',
        option,
        attempts: 0,
        mayHaveCharged: false,
      });
      expect(error.message.startsWith(`${option}: `)).toBe(true);
      expect(error.message.replace(`${option}: `, '')).toMatch(said);
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/4f9QxV2kLmN8|live_?.?x/);
      expect(() => new BillPay(loosely({ ...whole, [option]: value })).checkConfiguration()).toThrow(
        error.message,
      );
    },
  );

  it('is reported together with all others that are missing', () => {
    expect(refusalOf({})).toMatchObject({
      option: 'apiKey',
      message:
        'apiKey, clientId, baseUrl: are missing: pass them to new BillPay({ apiKey, clientId, baseUrl }), or set the environment variables BILLPAY_API_KEY, BILLPAY_CLIENT_ID, BILLPAY_BASE_URL',
    });
    expect(refusalOf({ apiKey: secretKey }, { ...nowhere, env: { BILLPAY_BASE_URL: '' } })).toMatchObject({
      option: 'clientId',
      message:
        'clientId, baseUrl: are missing: pass them to new BillPay({ clientId, baseUrl }), or set the environment variables BILLPAY_CLIENT_ID, BILLPAY_BASE_URL',
    });
  });
});

describe('baseUrl', () => {
  const resolved = (baseUrl: string, more: BillPayOptions = {}) =>
    resolveOptions({ ...whole, baseUrl, ...more }, nowhere).baseUrl;

  it.each([
    ['https://pay.example/api/v1', 'https://pay.example/api/v1'],
    ['https://pay.example/api/v1/', 'https://pay.example/api/v1'],
    ['https://pay.example/api/v1///', 'https://pay.example/api/v1'],
    ['HTTPS://PAY.example:443/api/v1', 'https://pay.example/api/v1'],
    ['https://pay.example/v1', 'https://pay.example/v1'],
    ['https://pay.example:8443/gateway/api/v12/', 'https://pay.example:8443/gateway/api/v12'],
    ['https://pay.example/v1/extra', 'https://pay.example/v1/extra'],
    ['http://localhost:4010/api/v1', 'http://localhost:4010/api/v1'],
    ['http://127.0.0.1:4010/api/v1', 'http://127.0.0.1:4010/api/v1'],
    ['http://[::1]:4010/api/v1/', 'http://[::1]:4010/api/v1'],
    ['http://sandbox.localhost/api/v1', 'http://sandbox.localhost/api/v1'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://127.0.0.1:8080/mock', 'http://127.0.0.1:8080/mock'],
  ])('%s', (given, expected) => {
    expect(resolved(given)).toBe(expected);
  });

  it('may be http on any host if allowed', () => {
    expect(resolved('http://pay.example/api/v1', { allowInsecureHttp: true })).toBe(
      'http://pay.example/api/v1',
    );
    expect(
      refusalOf({ ...whole, baseUrl: 'http://pay.example/api/v1', allowInsecureHttp: false }).option,
    ).toBe('baseUrl');
  });
});

describe('pacing', () => {
  const pacerOf = (pacing: BillPayOptions['pacing']) => resolveOptions({ ...whole, pacing }, nowhere).pacer;

  it.each([undefined, false])('is off with %s', (pacing) => {
    expect(pacerOf(pacing)).toBe(undefined);
  });

  it('takes a pacer as it is, and makes one for each client of true and of shared limiters', () => {
    const pacer = createPacer();
    expect(pacerOf(pacer)).toBe(pacer);
    const limiter = { consume: async () => ({}) };
    const shared = { purchases: limiter, requests: limiter };
    expect(pacerOf(shared)).toMatchObject({ join: expect.any(Function), pause: expect.any(Function) });
    expect(pacerOf(shared)).not.toBe(pacerOf(shared));
    expect(pacerOf(true)).not.toBe(pacerOf(true));
  });
});

it('a transport and a fetch are refused together, because only one of them could send', () => {
  const error = refusalOf({ ...whole, transport: () => {}, fetch: globalThis.fetch });
  expect(error.option).toBe('transport');
  expect(error.message).toContain('does not go with fetch');
});

describe('in a browser', () => {
  const browser = { ...nowhere, isBrowser: true };

  it('a secret key is refused, with the remedy', () => {
    const error = refusalOf(whole, browser);
    expect(error.option).toBe('apiKey');
    expect(error.message).toMatch(
      /secret key \(sk_…\).*every visitor can read it.*from your backend.*public key.*dangerouslyAllowBrowser: true/,
    );
    expect(error.message).not.toContain('4f9QxV2kLmN8');
    expect(refusalOf({ ...whole, dangerouslyAllowBrowser: false }, browser).option).toBe('apiKey');
  });

  it('no other value than true allows it, and none other than true and false is taken anywhere', () => {
    for (const dangerouslyAllowBrowser of [1, 'true', null]) {
      for (const surroundings of [browser, nowhere]) {
        expect(refusalOf({ ...whole, dangerouslyAllowBrowser }, surroundings)).toMatchObject({
          option: 'dangerouslyAllowBrowser',
          message: `dangerouslyAllowBrowser: must be true or false${got(dangerouslyAllowBrowser)}`,
        });
      }
    }
  });

  it('a secret key is accepted if allowed, a public key always', () => {
    expect(resolveOptions({ ...whole, dangerouslyAllowBrowser: true }, browser).keyKind).toBe('secret');
    expect(resolveOptions({ ...whole, apiKey: publicKey }, browser).keyKind).toBe('public');
  });

  it('is detected by window and document together', () => {
    try {
      vi.stubGlobal('window', {});
      expect(new BillPay(whole)).toBeInstanceOf(BillPay);
      vi.stubGlobal('document', {});
      expect(() => new BillPay(whole)).toThrow('every visitor can read it');
      vi.stubGlobal('window', undefined);
      expect(new BillPay(whole)).toBeInstanceOf(BillPay);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('options of a call', () => {
  const products = (billpay: BillPay, options: unknown) =>
    billpay.data.products({ biller: 'MTN' }, options as CallOptions);
  const loose: [name: string, call: (options: unknown) => PromiseLike<unknown>][] = [
    ['a resource', (options) => products(clientOf(), options)],
    ['request()', (options) => clientOf().request({ method: 'GET', path: '/later' }, options as CallOptions)],
  ];

  const ms = /^must be a number of milliseconds above 0, and at most 2147483647 \(24 days\); got /;
  const aSignal = /^must be an AbortSignal: pass controller.signal, not the controller; got /;
  const others = 'signal, timeout, totalTimeout, maxRetries, headers';

  const wrong: [option: string, said: RegExp, values: unknown[]][] = [
    ['timeout', ms, [0]],
    ['totalTimeout', ms, ['5']],
    ['maxRetries', /^must be a whole number of at least 0; got -1$/, [-1]],
    ['headers', /^must not contain Authorization: the client sets it itself$/, [{ Authorization: 'x' }]],
    ['signal', aSignal, [new AbortController(), null, 'abort', { aborted: false }]],
    ['retries', new RegExp(`a call \\(did you mean maxRetries\\?\\); the options are ${others}`), [2]],
    ['apiKey', new RegExp(`^is not an option of a call; the options are ${others}`), ['sk_live_x']],
  ];

  describe.each(loose)('of %s', (_, call) => {
    it.each(wrong)('%s rejects the call, and nothing is sent: %s', async (option, said, values) => {
      for (const value of values) {
        const error = await rejectionOf(call({ [option]: value }));
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(error).toMatchObject({ option, attempts: 0 });
        expect(String(error).replace(`ConfigurationError: ${option}: `, '')).toMatch(said);
      }
      expect(wire.sent).toEqual([]);
    });
  });

  it('do not change the client', async () => {
    const billpay = clientOf({ headers: { 'X-Shop': 'one' } });
    await products(billpay, { headers: { 'X-Shop': 'two' } });
    await products(billpay, undefined);
    expect(wire.sent.map(({ headers }) => headers['x-shop'])).toEqual(['two', 'one']);
  });
});

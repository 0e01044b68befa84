import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AbortError,
  ApiError,
  type BillPay,
  BillPayError,
  type BillPayOptions,
  IdempotencyKeyReusedError,
  TimeoutError,
  UnexpectedResponseError,
} from '../src/index.js';
import { clientOf, rejectionOf, valid } from './support/wire.js';

const apiKey = 'sk_live_51HqZt8Xw2-Lm.9';
const secrets = {
  key: apiKey,
  'another key': 'pk_live_7hTzR1wYbC3d',
  'a webhook secret': 'whsec_m2pZr8TqYw+/=',
  'an electricity token': '03600873271267716521',
  'a token in groups': '0360-0873-2712-6771-6521',
  'a token in other groups': '0360 0873 2712 6771 6521',
  'a PIN': '373820665258',
};
const each = Object.entries(secrets);

/** Everything that anybody may print of a value, and of what hangs on it. */
function printed(value: unknown): string {
  const forms = [
    inspect(value),
    inspect(value, { depth: 20, showHidden: true, compact: false }),
    inspect({ deep: { inside: [value] } }, { depth: 20 }),
    format('%s %o %O %j', value, value, value, value),
    JSON.stringify(value),
    JSON.stringify({ inside: [value] }),
    JSON.stringify({ ...Object(value) }),
    inspect({ ...Object(value) }),
  ];
  for (let at: unknown = value, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    forms.push(String(at), at.message, at.stack ?? '', inspect(at), JSON.stringify(at));
  }
  return forms.join('\n');
}

function expectHidden(text: string, secret: string): void {
  const leak = text.indexOf(secret);
  expect(leak === -1 ? '' : text.slice(Math.max(0, leak - 80), leak + secret.length)).toBe('');
}

/** A client whose every line, record and error is kept. */
function watched(options: BillPayOptions = {}) {
  const seen: unknown[] = [];
  const note = (message: string, fields: object) => void seen.push(message, fields);
  const billpay = clientOf({
    apiKey,
    logger: { debug: note, info: note, warn: note, error: note },
    logLevel: 'debug',
    onAttempt: (record) => void seen.push(record),
    ...options,
  });
  return { billpay, seen: () => seen.map(printed).join('\n') };
}

const purchase = (billpay: BillPay) =>
  billpay.airtime.purchase({
    biller: 'MTN',
    recipient: '08031234567',
    amount: 500,
    idempotency_key: 'order-77',
  });
const status = (billpay: BillPay) => billpay.transactions.status(valid.transaction.data.reference);
const subscribe = (billpay: BillPay) => billpay.webhooks.subscribe({ url: 'https://shop.example/hooks' });
const request = (billpay: BillPay) => billpay.request({ method: 'GET', path: '/later' });
const calls = { purchase, status, subscribe, request };

/** Runs every kind of call against one answer and expects the secret nowhere. */
async function expectHiddenEverywhere(
  answer: () => Response | Promise<Response>,
  secret: string,
): Promise<void> {
  for (const call of Object.values(calls)) {
    const { billpay, seen } = watched({ fetch: async () => answer() });
    const running = call(billpay);
    const error: unknown = await running.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expectHidden(
      `${printed(error)}\n${seen()}\n${inspect(running, { showHidden: true })}\n${printed(billpay)}`,
      secret,
    );
  }
}

const json = (body: unknown, status: number, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const invalid = (errors: object) =>
  json({ status: 'error', code: 'VALIDATION_FAILED', message: '', errors }, 422);
const page = (text: string, status: number) => new Response(text, { status });

/** Where a service, or something between it and the client, may put what it must not show. */
const places: Readonly<Record<string, (echo: string) => () => Response | Promise<Response>>> = {
  'the message of an error': (echo) => () =>
    json({ status: 'error', code: 'UNAUTHORIZED', message: `Something with ${echo}, as it says` }, 401),
  'the code of an error': (echo) => () => json({ status: 'error', code: echo, message: '' }, 418),
  'the texts of fields': (echo) => () => invalid({ recipient: `sent ${echo}`, [echo]: ['one', echo] }),
  'objects among the texts of fields': (echo) => () => invalid({ a: [echo], b: { token: echo, x: [echo] } }),
  'any field of an error': (echo) => () =>
    json({ code: 'X', debug: { deep: [{ value: echo }], [echo]: 1 } }, 500),
  'a page': (echo) => () => page(`<pre>Authorization: Bearer ${echo}</pre>`, 502),
  'a long page': (echo) => () => page(`${'x'.repeat(490)} ${echo} ${'y'.repeat(900)}`, 502),
  headers: (echo) => () => {
    const text = encodeURIComponent(echo);
    return json({}, 405, { 'X-Echo': text, 'Set-Cookie': `session=${text}`, Allow: text });
  },
  'a redirect': (echo) => () =>
    new Response(null, {
      status: 302,
      headers: { Location: `https://x.example/?k=${encodeURIComponent(echo)}` },
    }),
  'a success that is not JSON': (echo) => () => page(`ok ${echo}`, 200),
  'the type of a success': (echo) => () =>
    new Response('x', { status: 202, headers: { 'Content-Type': `text/${encodeURIComponent(echo)}` } }),
  'a success that is cut': (echo) => () => page(`{"status":"success","data":{"token":"${echo}`, 200),
  'a success that lacks what is needed': (echo) => () =>
    json({ data: { token: echo, secret: echo, pin: echo } }, 200),
  'a success that is an error': (echo) => () =>
    json({ status: 'error', message: `with ${echo}`, data: { token: echo } }, 200),
  'a purchase of another order': (echo) => () =>
    json(
      { ...valid.purchase, data: { ...valid.purchase.data, biller: echo, recipient: echo, token: echo } },
      202,
    ),
  'a deviation': (echo) => () =>
    json({ ...valid.transaction, data: { ...valid.transaction.data, [echo]: echo, refunded: echo } }, 200),
  'a body that breaks off': (echo) => () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`{"data":{"token":"${echo}"`));
          controller.error(new Error(`terminated after ${echo}`));
        },
      }),
    ),
};

describe('the client', () => {
  it('shows its address, its account and the kind of its key, but not the key', () => {
    const billpay = clientOf({ apiKey });
    expect(inspect(billpay)).toBe(
      "BillPay {\n  baseUrl: 'https://pay.example/api/v1',\n  clientId: 'client-041',\n  apiKey: '[secret key, redacted]'\n}",
    );
    expect(JSON.parse(JSON.stringify(billpay))).toEqual({
      baseUrl: 'https://pay.example/api/v1',
      clientId: 'client-041',
      apiKey: '[secret key, redacted]',
    });
    const bare: unknown = Reflect.get(billpay, Symbol.for('nodejs.util.inspect.custom')).call(billpay, 2, {});
    expect(bare).toBe(`BillPay ${JSON.stringify(billpay)}`);
    expectHidden(printed(billpay), apiKey);
  });

  it('nor do its resources', () => {
    const billpay = clientOf({ apiKey });
    for (const name of ['airtime', 'data', 'tv', 'electricity', 'edu', 'transactions', 'webhooks'] as const) {
      expectHidden(printed(billpay[name]), apiKey);
    }
  });
});

describe.each(each)('%s', (_, secret) => {
  it.each(Object.entries(places))('is not shown from %s', async (_place, place) => {
    await expectHiddenEverywhere(place(secret), secret);
  });

  it('is not shown from a transport that hangs the whole request on its error', async () => {
    const headers = { Authorization: `Bearer ${secret}` };
    const inner = Object.assign(new Error(`socket hang up while sending ${secret}`), {
      code: 'ECONNRESET',
      errno: -104,
      request: { headers },
      rawHeaders: ['Authorization', secret],
    });
    const outer = Object.assign(new TypeError(`fetch failed: ${JSON.stringify(headers)}`, { cause: inner }), {
      config: { headers, data: secret },
      response: { body: secret },
      hostname: `x.example/${secret}`,
    });
    const fail = async () => Promise.reject(outer);
    await expectHiddenEverywhere(fail, secret);
    const { billpay } = watched({ fetch: fail });
    const error = await rejectionOf(purchase(billpay));
    expect(error).toMatchObject({ cause: { name: 'TypeError', cause: { code: 'ECONNRESET', errno: -104 } } });
    await expectHiddenEverywhere(async () => Promise.reject(secret), secret);
    await expectHiddenEverywhere(async () => Promise.reject({ message: secret }), secret);
  });

  it('is not shown from the reason of an abort', async () => {
    const reason = Object.assign(new Error(`left with ${secret}`), { headers: { authorization: secret } });
    for (const each of [reason, `left with ${secret}`, { token: secret }]) {
      const signal = AbortSignal.abort(each);
      const error = await rejectionOf(clientOf().data.products({ biller: 'MTN' }, { signal }));
      expect(error).toBeInstanceOf(AbortError);
      expect(error instanceof Error && error.cause).toBe(each);
      expectHidden([inspect(error), format('%o', error), JSON.stringify(error)].join('\n'), secret);
    }
  });

  it('is not shown from what an error carries', () => {
    const transaction = { ...valid.transaction.data, token: secret };
    const sold = { ...valid.purchase.data, status: 'success' as const, idempotency_key: 'k', token: secret };
    const headers = new Headers({ 'X-Echo': secret });
    const deep = new ApiError('inner', { status: 500, body: { note: secret }, headers });
    for (const error of [
      new TimeoutError('gave up', { transaction }),
      new IdempotencyKeyReusedError('reused', { purchase: sold }),
      new UnexpectedResponseError('strict', { purchase: sold, body: secret, headers }),
      new TimeoutError('gave up', { cause: deep }),
      new BillPayError('x', { cause: { token: secret } }),
    ]) {
      expectHidden(
        [inspect(error, { depth: 20 }), format('%o', error), JSON.stringify(error)].join('\n'),
        secret,
      );
    }
  });
});

describe('the client’s key, known by its value', () => {
  const plainKey = 'sk_live_S3cr3tK3yV4lue';
  const oddKeys = [...';,"\'&\\<'].map((odd) => `sk_live_ab${odd}cdefgh`);
  const forms: Readonly<Record<string, (key: string) => string>> = {
    plain: (key) => key,
    'behind a word': (key) => `key${key}`,
    'in upper case': (key) => key.toUpperCase(),
    'in base64': (key) => Buffer.from(key).toString('base64'),
    'in Basic credentials': (key) => Buffer.from(`shop:${key}`).toString('base64'),
    'URL-encoded': encodeURIComponent,
  };
  const echoes: [key: string, echo: string][] = [
    ...Object.values(forms).map((form): [string, string] => [plainKey, form(plainKey)]),
    ...[...oddKeys, 'sk_live_ab+c/defgh='].flatMap((key): [string, string][] => [
      [key, key],
      [key, encodeURIComponent(key)],
    ]),
  ];
  it.each(Object.entries(places))('is hidden in %s', async (_, place) => {
    for (const [key, echo] of echoes) {
      const { billpay, seen } = watched({ apiKey: key, fetch: async () => place(echo)(), maxRetries: 0 });
      for (const call of [purchase, status]) {
        const error: unknown = await call(billpay).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        const text = `${printed(error)}\n${seen()}`;
        for (const hidden of [echo.slice(-12), encodeURIComponent(echo).slice(-12)])
          expectHidden(text, hidden);
      }
    }
  });

  it('is hidden where a firewall’s page holds the head of the request in base64, wherever in it the key stands', async () => {
    for (const host of ['pay.example', 'pays.example', 'paying.example']) {
      const head = `POST /api/v1/airtime/purchase HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${plainKey}\r\n`;
      const encoded = Buffer.from(head).toString('base64');
      const { billpay, seen } = watched({
        apiKey: plainKey,
        fetch: async () => new Response(`<pre>${encoded}</pre>`, { status: 403 }),
      });
      const text = `${printed(await rejectionOf(purchase(billpay)))}\n${seen()}`;
      for (const part of text.match(/[A-Za-z0-9+/]{40,}/g) ?? []) {
        expectHidden(Buffer.from(part, 'base64').toString('latin1'), 'S3cr3tK3y');
      }
    }
  });

  it('is hidden in the name of what a callback throws, and in the path of a request', async () => {
    const error = Object.assign(new Error('x'), { name: apiKey });
    const fail = () => {
      throw error;
    };
    const fetch = async () => new Response('', { status: 500 });
    const { billpay, seen } = watched({ fetch, onAttempt: fail, retryDelay: fail, maxRetries: 1 });
    await rejectionOf(billpay.request({ method: 'GET', path: `/keys/${apiKey}` }));
    expect(seen()).toContain('onAttempt threw');
    expectHidden(seen(), apiKey);
  });
});

describe('a success', () => {
  it('is handed over whole, and its secrets are in no line and no record', async () => {
    const cases = [
      [status, valid.transaction, valid.transaction.data.token],
      [subscribe, valid.subscription, valid.subscription.data.secret],
    ] as const;
    for (const [call, body, secret] of cases) {
      const { billpay, seen } = watched({ fetch: async () => Response.json(body) });
      const running = call(billpay);
      expect(JSON.stringify(await running)).toContain(secret);
      expectHidden(
        `${seen()}${inspect(running, { depth: 20, showHidden: true })}${printed(billpay)}`,
        secret,
      );
      expect(seen()).toMatch(/attempt 1: \w+ \/\w+\/\w+ -> 200 in \d+ ms/);
    }
  });

  it('that differs from what is documented is warned of by names only', async () => {
    const body = {
      status: 'success',
      data: { ...valid.transaction.data, refunded: 'whsec_x', commission: {} },
    };
    const { billpay, seen } = watched({ fetch: async () => Response.json(body) });
    await status(billpay);
    expect(seen()).toContain('differs from what is documented in data.commission, data.refunded');
    expectHidden(seen(), 'whsec_x');
  });
});

describe('any placement', () => {
  const secret = fc.oneof(
    fc.stringMatching(/^(sk|pk|whsec)_(live|test)_[A-Za-z0-9]{12,24}$/),
    fc.stringMatching(/^\d{12,20}$/),
    fc.stringMatching(/^\d{4}(-\d{4}){2,4}$/),
  );
  /** Around a secret stands what ends a word; letters run into it only in words of the language. */
  const around = fc.constantFrom(
    '',
    ' ',
    '"',
    "'",
    ': ',
    '=',
    '(',
    '\n',
    '/',
    '%20',
    ', ',
    '&k=',
    '{"a":"',
    '<b>',
    'ключ ',
  );
  const leaf = (hidden: string) =>
    fc.tuple(around, around).map(([before, after]) => `${before}${hidden}${after}`);
  const body = (hidden: string) => {
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf(hidden),
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(
          fc.oneof(fc.constantFrom('message', 'code', 'errors', 'data', 'token'), leaf(hidden)),
          tie('tree'),
          {
            maxKeys: 4,
          },
        ),
      ),
    }));
    return tree;
  };
  const placement = secret.chain((hidden) =>
    fc.record({
      hidden: fc.constant(hidden),
      body: body(hidden),
      message: leaf(hidden),
      header: fc.constantFrom(hidden, `Bearer ${hidden}`, `k=${hidden}; path=/`),
      status: fc.constantFrom(200, 202, 302, 400, 401, 402, 403, 404, 405, 409, 418, 422, 429, 500, 502, 503),
      code: fc.constantFrom('VALIDATION_FAILED', 'GATEWAY_ERROR', hidden, undefined),
      cut: fc.nat(400),
      wrap: fc.constantFrom('as is', 'error', 'cut'),
    }),
  );

  it('in an answer is hidden from errors, lines and records', async () => {
    await fc.assert(
      fc.asyncProperty(placement, async ({ hidden, body, message, header, status, code, cut, wrap }) => {
        const whole =
          wrap === 'as is' ? body : { status: 'error', code, message, errors: { field: body }, more: body };
        const text = JSON.stringify(whole) ?? '';
        const answer = () =>
          new Response(wrap === 'cut' ? text.slice(0, cut) : text, {
            status,
            headers: { 'X-Echo': header, Location: `https://x.example/?k=${hidden}` },
          });
        await expectHiddenEverywhere(answer, hidden);
      }),
      { numRuns: 150 },
    );
  });
});

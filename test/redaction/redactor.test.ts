import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ApiError, BillPayError, ConnectionError, ServerError, ValidationError } from '../../src/index.js';
import { createRedactor, patternRedactor } from '../../src/redaction/redactor.js';

const { value: redactValue, cause: safeCause } = patternRedactor;
const key = 'sk_live_ab;cdefgh12';
const redactor = createRedactor([key, '48210937']);
const fail = (): never => {
  throw new Error('a getter');
};
const traps = { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail, getOwnPropertyDescriptor: fail };

describe('a redactor', () => {
  it('replaces known secrets before anything that only looks like one', () => {
    expect(redactor.text(`key ${key}, other sk_live_x;y`)).toBe('key [redacted], other sk_[redacted];y');
    expect(redactor.known('TXN-20260131123456 sk_live_x')).toBe('TXN-20260131123456 sk_[redacted]');
    expect(redactor.text('48210937 or 48210938')).toBe('[redacted] or 48210938');
  });

  it('replaces them in values, names of fields and numbers', () => {
    expect(
      redactor.value({
        note: [`is ${key}`],
        [`x${key}`]: 1,
        number: 48_210_937,
        other: 48_210_938,
        big: 48210937n,
      }),
    ).toEqual({
      note: ['is [redacted]'],
      'x[redacted]': 1,
      number: '[redacted]',
      other: 48_210_938,
      big: '[redacted]',
    });
  });

  it('replaces them and other keys in identifiers, which otherwise stay whole', () => {
    expect(
      redactor.value({
        idempotency_key: '20260131123456789',
        idempotencyKey: `x-${key}`,
        reference: 'TXN-20260131123456',
        your_reference: 'x sk_live_other',
        references: '20260131123456',
        'sk_live_x reference': 'TXN-1',
      }),
    ).toEqual({
      idempotency_key: '20260131123456789',
      idempotencyKey: 'x-[redacted]',
      reference: 'TXN-20260131123456',
      your_reference: 'x sk_[redacted]',
      references: '[redacted]',
      'sk_[redacted] reference': 'TXN-1',
    });
    expect(redactor.value({ idempotency_key: { pin: '4821' }, IDEMPOTENCY_KEY: 5 })).toEqual({
      idempotency_key: { pin: '[redacted]' },
      IDEMPOTENCY_KEY: 5,
    });
  });

  it('replaces them in errors and all that hangs on them', () => {
    const inner = Object.assign(new Error(`inner ${key}`), {
      code: key,
      hostname: `${key}.example`,
      errno: -104,
    });
    const copy = redactor.cause(new TypeError(`outer ${key}`, { cause: inner }));
    expect(copy).toMatchObject({ name: 'TypeError', message: 'outer [redacted]' });
    expect(copy?.cause).toMatchObject({ message: 'inner [redacted]', code: '[redacted]', errno: -104 });
    expect(inspect(copy, { depth: 9, showHidden: true })).not.toContain('cdefgh12');
    expect(redactor.cause(`thrown ${key}`)?.message).toBe('thrown [redacted]');
  });

  it('leaves texts about fields, which are named after them', () => {
    const errors = { pin: 'must have 4 digits', note: `sent ${key}`, token: 'PIN 48210938 is used' };
    expect(redactor.value(errors, { byName: false })).toEqual({
      pin: 'must have 4 digits',
      note: 'sent [redacted]',
      token: 'PIN [redacted] is used',
    });
  });

  it('does not follow its own values without end', () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    expect(inspect(redactor.value(endless), { depth: 9 })).toContain("'[…]'");
    const nested = (depth: number): unknown => (depth === 0 ? key : [nested(depth - 1)]);
    expect(redactor.value(nested(6))).toEqual([[[[[['[redacted]']]]]]]);
    expect(redactor.value(nested(7))).toEqual([[[[[['[…]']]]]]]);
  });
});

describe('a value', () => {
  it('with cards hides them, and shows the code of an error', () => {
    expect(
      redactValue({ code: 'GATEWAY_ERROR', cards: [{ code: '4821' }], scratch_card: 4821, card_type: 'x' }),
    ).toEqual({
      code: 'GATEWAY_ERROR',
      cards: '[redacted]',
      scratch_card: '[redacted]',
      card_type: 'x',
    });
  });

  it('shows that a secret is not there yet, or whether there is one', () => {
    const none = { token: null, pin: undefined, voucher: '', secret: true, password: false };
    expect(redactValue(none)).toEqual(none);
    expect(redactValue({ pin: 0, token: [], secret: {} })).toEqual({
      pin: '[redacted]',
      token: '[redacted]',
      secret: '[redacted]',
    });
  });

  it('takes numbers of twelve digits for secrets, and shorter ones for what they are', () => {
    expect(redactValue([99_999_999_999, 100_000_000_000, 2 ** 20 + 0.5, 0.1 + 0.2])).toEqual([
      99_999_999_999,
      '[redacted]',
      2 ** 20 + 0.5,
      0.1 + 0.2,
    ]);
  });

  it('is cut where a text is long or an object is deep', () => {
    expect(redactValue('x'.repeat(500))).toBe('x'.repeat(500));
    expect(redactValue('x'.repeat(501))).toBe(`${'x'.repeat(500)}… (501 characters)`);
    expect(redactValue([[[[[[['deep']]]]]]])).toEqual([[[[[['[…]']]]]]]);
  });

  it('of much text is read at its beginning only, and never shows half of a secret', () => {
    const secret = createRedactor(['0123456789abcdefghij']);
    const long = `${'x'.repeat(30)}${' 0123456789abcdefghij'.repeat(5000)}`;
    for (let shift = 0; shift < 25; shift++) {
      expect(secret.text(' '.repeat(shift) + long).includes('0123')).toBe(false);
      expect(JSON.stringify(secret.value(' '.repeat(shift) + long)).includes('0123')).toBe(false);
    }
    expect(secret.text('x'.repeat(11_000))).toHaveLength(10_000);
    expect(secret.text('x'.repeat(4000), 300)).toHaveLength(300);
    expect(secret.value('x'.repeat(60_000))).toBe(`${'x'.repeat(500)}… (60000 characters)`);
  });

  it('of many texts shows the first of them', () => {
    const copy = redactValue(Array.from({ length: 1000 }, () => 'x'.repeat(1000)));
    expect(JSON.stringify(copy).length).toBeLessThan(25_000);
    expect(copy).toMatchObject({ 0: `${'x'.repeat(500)}… (1000 characters)`, 999: '[…]' });
  });

  it.each<[string, unknown]>([
    ['a proxy whose traps throw', new Proxy({}, traps)],
    ['a list with one', [new Proxy({}, traps)]],
  ])('that is %s is unreadable there', (_, value) => {
    expect(JSON.stringify(redactValue(value))).toMatch(/^\[?"\[unreadable\]"\]?$/);
  });
});

describe('a copy of an error', () => {
  it('has a stack, also where the error has none', () => {
    const bare = new Error('sk_live_abc');
    Reflect.deleteProperty(bare, 'stack');
    expect(safeCause(bare)).toMatchObject({ name: 'Error', message: 'sk_[redacted]' });
    expect(safeCause(bare)?.stack).toMatch(/^Error: sk_\[redacted\]\n/);
    expect(inspect(safeCause(bare), { showHidden: true })).not.toContain('sk_live_abc');
  });

  it('keeps the stack of the error, and what tells of the network, and nothing else', () => {
    const error = Object.assign(new RangeError('with sk_live_abc'), {
      code: 'ECONNRESET',
      errno: { secret: 'sk_live_abc' },
      address: '10.0.0.1',
      port: 443,
      request: 'sk_live_abc',
    });
    const copy = safeCause(error);
    expect(copy?.stack).toBe(error.stack?.replaceAll('sk_live_abc', 'sk_[redacted]'));
    expect({ ...copy }).toEqual({ code: 'ECONNRESET', address: '10.0.0.1', port: 443 });
    expect(copy?.name).toBe('RangeError');
  });

  it('has words for anything that is thrown, and none for nothing', () => {
    expect([safeCause(undefined), safeCause(null)]).toEqual([undefined, undefined]);
    expect(safeCause('x'.repeat(600))?.message).toBe('x'.repeat(500));
    expect(safeCause(Object.create(null))?.message).toBe('a value that has no text');
  });

  it('follows a chain of causes only so far', () => {
    const endless = new Error('again');
    endless.cause = endless;
    let depth = 0;
    for (let at: unknown = safeCause(endless); at instanceof Error; at = at.cause) depth++;
    expect(depth).toBe(6);
  });
});

describe('an error that cannot be read', () => {
  it('is copied without what throws', () => {
    for (const name of ['message', 'name', 'stack', 'cause', 'code', 'syscall', 'errors']) {
      const error = Object.defineProperty(new TypeError('outer', { cause: 'inner' }), name, { get: fail });
      const copy = safeCause(error);
      const message = name === 'message' ? '' : 'outer';
      expect(copy).toMatchObject({ message, name: name === 'name' ? 'Error' : 'TypeError' });
      expect(copy?.cause).toEqual(name === 'cause' ? undefined : new Error('inner'));
      const shown = new ConnectionError('no response', { cause: error });
      expect(inspect(shown)).toContain('no response');
      expect(JSON.parse(JSON.stringify(shown)).cause.message).toBe(message);
    }
  });

  it.each<[string, unknown]>([
    ['a proxy whose traps throw', new Proxy(new Error('x'), traps)],
    ['a value whose text throws', { toString: fail, [Symbol.toPrimitive]: fail }],
  ])('because it is %s has words all the same', (_, value) => {
    expect(safeCause(value)?.message).toBe('a value that has no text');
  });

  it.each<[string, unknown]>([
    ['a proxy', new Proxy({}, traps)],
    ['a proxy of an error', new Proxy(new Error('x'), traps)],
    ['an object with a getter', Object.defineProperty({}, 'pin', { get: fail, enumerable: true })],
  ])('is printed as the cause of ours: %s', (_, cause) => {
    const error = new ServerError('down', { cause });
    expect(inspect(error)).toContain('ServerError: down');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: 'down' });
  });

  it('is printed when it is one of ours behind a proxy', () => {
    const cause = new Proxy(new ServerError('inner'), { get: fail });
    expect(cause).toBeInstanceOf(BillPayError);
    expect(JSON.parse(JSON.stringify(new ServerError('down', { cause }))).cause).toBe('[unreadable]');
  });
});

describe('an error with a redactor', () => {
  const error = new ApiError(`refused ${key}`, {
    redactor,
    status: 401,
    code: `X_${key}`,
    body: { note: key, list: [`a${key}b`] },
    headers: new Headers({ 'X-Seen': key }),
    cause: new Error(`because of ${key}`),
  });

  it('shows no known secret in any form', () => {
    const forms = [
      inspect(error, { depth: 9 }),
      JSON.stringify(error),
      String(error),
      error.message,
      error.stack,
    ].join();
    expect(forms).not.toContain('cdefgh12');
    expect(error.message).toBe('refused [redacted]');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      code: 'X_[redacted]',
      body: { note: '[redacted]', list: ['a[redacted]b'] },
      headers: { 'x-seen': '[redacted]' },
      cause: { message: 'because of [redacted]' },
    });
  });

  it('shows neither the redactor nor what it knows', () => {
    expect(Object.keys(error)).not.toContain('redactor');
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toMatch(/Symbol\(|cdefgh12/);
    expect({ ...error }).not.toHaveProperty('redactor');
    expect(JSON.stringify({ ...error })).not.toContain('cdefgh12');
  });

  it('keeps the words of its fields', () => {
    const errors = { pin: 'is required: 4 digits', note: `sent ${key}` };
    const refused = new ValidationError('pin is required', { errors, redactor });
    expect(refused.errors).toEqual(errors);
    expect(inspect(refused, { showHidden: true })).not.toContain('cdefgh12');
    expect(JSON.parse(JSON.stringify(refused)).errors).toEqual({
      pin: 'is required: 4 digits',
      note: 'sent [redacted]',
    });
  });

  it('is not needed: keys are recognised by their prefix', () => {
    const { message, stack } = new ApiError('refused sk_live_ab12cdefgh34');
    expect(message).toBe('refused sk_[redacted]');
    expect(stack).not.toContain('cdefgh34');
    expect(patternRedactor.known('48210937')).toBe('48210937');
  });
});

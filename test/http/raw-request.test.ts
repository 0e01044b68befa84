import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withClientId } from '../../src/http/prepare.js';
import { serialiseOnce } from '../../src/http/raw-request.js';

describe('serialiseOnce', () => {
  it('gives the text and a parsed copy of it', () => {
    const given = { a: 1, b: undefined, c: { toJSON: () => 'C' }, d: new Date(0) };
    expect(serialiseOnce(given)).toEqual({
      ok: true,
      value: {
        text: '{"a":1,"c":"C","d":"1970-01-01T00:00:00.000Z"}',
        fields: { a: 1, c: 'C', d: '1970-01-01T00:00:00.000Z' },
      },
    });
  });

  it('reads each field once', () => {
    const reads: string[] = [];
    const inner = {
      get b() {
        reads.push('b');
        return 1;
      },
    };
    const outer = {
      get a() {
        reads.push('a');
        return inner;
      },
    };
    expect(serialiseOnce(outer)).toMatchObject({ ok: true, value: { text: '{"a":{"b":1}}' } });
    expect(reads).toEqual(['a', 'b']);
  });

  const cycle: Record<string, unknown> = {};
  cycle['itself'] = cycle;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown, string]>([
    ['null', null, 'must be an object'],
    ['an array', [], 'must be an object'],
    ['a string', 'a', 'must be an object'],
    ['toJSON that gives text', { toJSON: () => 'text' }, 'must be an object'],
    ['toJSON that gives a list', { toJSON: () => [1] }, 'must be an object'],
    ['toJSON that gives nothing', { toJSON: () => undefined }, 'must be an object'],
    ['a cycle', cycle, 'cannot be written as JSON: it contains a cycle or a BigInt'],
    ['a BigInt', { a: { b: 1n } }, 'cannot be written as JSON: it contains a cycle or a BigInt'],
    ['a revoked proxy', revoked.proxy, 'cannot be written as JSON: it contains a cycle or a BigInt'],
    [
      'an accessor that throws',
      {
        get a() {
          throw new Error('no');
        },
      },
      'cannot be written as JSON: reading one of its fields failed',
    ],
    [
      'NaN',
      { amount: Number.NaN },
      "contains NaN at 'amount', which JSON would turn into null: pass a finite number",
    ],
    [
      'Infinity in a list',
      { a: [1, Number.POSITIVE_INFINITY] },
      "contains Infinity at '1', which JSON would turn into null: pass a finite number",
    ],
  ])('refuses %s', (_, given, problem) => {
    expect(serialiseOnce(given)).toEqual({ ok: false, problem });
  });
});

describe('withClientId', () => {
  it('adds the field and changes no other byte', () => {
    expect(withClientId('c', '{}')).toBe('{"client_id":"c"}');
    expect(withClientId('c"1', '{"a":1.50}')).toBe('{"client_id":"c\\"1","a":1.50}');
  });

  it('keeps what was checked, for any object', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (clientId, given) => {
        const { client_id: _, ...fields } = given;
        const serialised = serialiseOnce(fields);
        if (!serialised.ok) throw new Error(serialised.problem);
        const sent: unknown = JSON.parse(withClientId(clientId, serialised.value.text));
        expect(sent).toEqual({ client_id: clientId, ...serialised.value.fields });
      }),
    );
  });
});

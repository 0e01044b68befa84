import {
  acceptance,
  catalogue,
  confirmation,
  refusal,
  subscription,
  transaction,
} from '../../support/envelopes.js';
import type { Random } from '../../support/random.js';

/** The key of the fuzzed client: responses echo it, and nothing printed may show it. */
export const canary = 'sk_test_FuzzCanary0123456789';

const nasty: readonly [string, ...string[]] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'status',
  'null',
  '[object Object]',
  '\u0000',
  '\r\n\r\n',
  '\ud800',
  '\u202e',
  '﻿',
  '😀'.repeat(40),
  'a'.repeat(5000),
  '9'.repeat(400),
  '-1',
  '1e309',
  '0x10',
  '"token":"0360 0873 2712 6771 6521"',
  `Bearer ${canary}`,
  `"${canary}"`,
  '{"status":"success"',
  'pending',
  'success',
  'TXN-1',
  '1000.00',
  'Wed, 21 Oct 2015 07:28:00 GMT',
  '<!doctype html><html><body>Bad gateway</body></html>',
  '"serial'.repeat(300),
  'token:'.repeat(300),
];

export function anyText(random: Random): string {
  switch (random.int(0, 4)) {
    case 0:
      return random.bytes(random.int(0, 60)).toString('latin1');
    case 1:
      return random.bytes(random.int(0, 60)).toString('utf16le');
    case 2:
      return mutated(random, random.pick(nasty));
    default:
      return random.pick(nasty);
  }
}

/** Any JSON value, or a value that `JSON.parse` never returns. */
export function anyValue(random: Random, depth = 0): unknown {
  switch (random.int(0, depth > 3 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.int(-5, 5);
    case 3:
      return random.uint32() * random.uint32();
    case 4:
      return random.int(0, 1e6) / 100;
    case 5:
    case 6:
      return anyText(random);
    case 7:
      return Array.from({ length: random.int(0, 4) }, () => anyValue(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.int(0, 4) }, () => [anyText(random), anyValue(random, depth + 1)]),
      );
  }
}

/** A copy with some of its fields removed, renamed or replaced, at any depth. */
export function spoilt(random: Random, value: unknown): unknown {
  if (random.chance(0.04)) return anyValue(random);
  if (Array.isArray(value)) {
    const items = value.map((item) => spoilt(random, item));
    return random.chance(0.1) ? [...items, anyValue(random)] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (random.chance(0.04)) continue;
    fields.push([random.chance(0.03) ? anyText(random) : name, spoilt(random, item)]);
  }
  if (random.chance(0.1)) fields.push([anyText(random), anyValue(random)]);
  return Object.fromEntries(fields);
}

/** Text with a few of its characters changed, removed or doubled, or its end cut off. */
export function mutated(random: Random, text: string): string {
  let result = text;
  for (let change = random.int(1, 3); change > 0; change--) {
    const at = random.int(0, result.length);
    const before = result.slice(0, at);
    switch (random.int(0, 3)) {
      case 0:
        result = before;
        break;
      case 1:
        result = before + String.fromCharCode(random.int(0, 0x2ff)) + result.slice(at + 1);
        break;
      case 2:
        result = before + result.slice(at + random.int(1, 20));
        break;
      default:
        result = before + result.slice(Math.max(0, at - 20));
    }
  }
  return result;
}

/** Documented responses, one of each shape. */
const documented: readonly [object, ...object[]] = [
  acceptance(),
  catalogue(),
  confirmation('4 Marina Road'),
  transaction('success', { token: '03600873271267716521', completed_at: '2026-01-31 10:30:00' }),
  subscription(),
  refusal('VALIDATION_FAILED', { errors: { recipient: 'is wrong' } }),
  refusal('RATE_LIMITED', { retry_after_seconds: 3 }),
  refusal('GATEWAY_ERROR', { message: `for ${canary}` }),
  refusal('PROVIDER_UNAVAILABLE'),
  refusal('ALREADY_PROCESSING'),
];

/** The text of a response body: documented, damaged, or random. */
export function anyBody(random: Random): string {
  switch (random.int(0, 9)) {
    case 0:
      return anyText(random);
    case 1:
      return JSON.stringify(anyValue(random));
    case 2:
      return mutated(random, JSON.stringify(random.pick(documented)));
    case 3:
      return '['.repeat(random.int(0, 4000)) + '{"a":'.repeat(random.int(0, 2000));
    case 4:
    case 5:
      return JSON.stringify(random.pick(documented));
    default:
      return JSON.stringify(spoilt(random, random.pick(documented)));
  }
}

const statuses: readonly [number, ...number[]] = [
  200, 200, 201, 202, 202, 202, 204, 206, 299, 301, 302, 304, 307, 400, 401, 402, 403, 404, 405, 408, 409,
  413, 415, 418, 422, 425, 429, 451, 499, 500, 501, 502, 503, 504, 520, 599,
];

export const anyStatus = (random: Random): number =>
  random.chance(0.8) ? random.pick(statuses) : random.int(200, 599);

const headerNames: readonly [string, ...string[]] = [
  'retry-after',
  'allow',
  'location',
  'content-type',
  'content-length',
  'content-encoding',
  'set-cookie',
  'x-request-id',
  'transfer-encoding',
  'date',
];

const headerValues: readonly [string, ...string[]] = [
  '0',
  '1',
  '-5',
  '99999999999999999999',
  '1.5',
  'Wed, 21 Oct 2099 07:28:00 GMT',
  'Sun Nov  6 08:49:37 1994',
  'application/json',
  'text/html; charset=utf-8',
  'gzip',
  'identity',
  'POST, , get',
  '//evil.test/x',
  'http://[',
  `token=${canary}`,
];

/** Header lines, values that no header may have included. */
export const anyHeaders = (random: Random): [string, string][] =>
  Array.from({ length: random.int(0, 4) }, () => [
    random.chance(0.9) ? random.pick(headerNames) : anyText(random),
    random.chance(0.7) ? random.pick(headerValues) : anyText(random),
  ]);

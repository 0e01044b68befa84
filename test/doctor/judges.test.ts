import { describe, expect, it } from 'vitest';
import { plain } from '../../src/cli/terminal.js';
import type { Outcome } from '../../src/doctor/finding.js';
import { checkNode } from '../../src/doctor/local-checks.js';
import type { ProbeResponse } from '../../src/doctor/network-checks.js';
import { findingLines, skippedLines } from '../../src/doctor/report.js';
import { judgeClock, judgeRateLimit, judgeSecretKey, judgeService } from '../../src/doctor/service-checks.js';
import {
  judgeDurability,
  judgeEviction,
  judgePersistence,
  judgeTables,
} from '../../src/doctor/store-checks.js';
import { judgeDelivery, judgeForgery } from '../../src/doctor/webhook-checks.js';

const now = Date.parse('2026-01-31T09:30:00.500Z');
const response = (
  status: number,
  headers: Record<string, string> = {},
  json: unknown = {},
): ProbeResponse => ({
  kind: 'response',
  status,
  headers: new Headers(headers),
  json,
  sentAt: now,
  receivedAt: now + 200,
});
const none = { kind: 'failure', code: 'ECONNRESET' } as const;
const statusOf = ({ status }: Outcome) => status;

describe('judgeClock', () => {
  const skewed = (seconds: number) =>
    response(200, { date: new Date(Math.floor(now / 1000 + seconds) * 1000).toUTCString() });

  it.each([
    [0, 'ok'],
    [1, 'ok'],
    [-1, 'ok'],
    [29, 'ok'],
    [-29, 'ok'],
    [60, 'warning'],
    [-60, 'warning'],
    [299, 'warning'],
    [400, 'failed'],
    [-400, 'failed'],
  ])('of a service whose clock is %i s ahead', (seconds, status) => {
    expect(statusOf(judgeClock(skewed(seconds)))).toBe(status);
  });

  it('says which clock is ahead', () => {
    expect(judgeClock(skewed(-3600)).message).toMatch(/ahead of/);
    expect(judgeClock(skewed(3600)).message).toMatch(/behind/);
  });

  it('is skipped without a date', () => {
    expect(statusOf(judgeClock(response(200)))).toBe('skipped');
    expect(statusOf(judgeClock(response(200, { date: 'today' })))).toBe('skipped');
  });
});

describe('judgeRateLimit', () => {
  it.each([
    [response(200), 'skipped'],
    [response(200, { 'RateLimit-Remaining': '55' }), 'ok'],
    [response(200, { 'X-RateLimit-Remaining': '3' }), 'warning'],
    [response(200, { 'X-RateLimit-Remaining': 'many' }), 'skipped'],
    [response(429, { 'Retry-After': '9' }), 'failed'],
    [response(429), 'failed'],
  ])('%#', (given, status) => {
    expect(statusOf(judgeRateLimit(given))).toBe(status);
  });
});

describe('judgeService', () => {
  const envelope = { status: 'error', code: 'X', message: 'x' };
  it.each([
    [response(200, {}, { products: [] }), 'ok'],
    [response(401, {}, envelope), 'ok'],
    [response(502, {}, envelope), 'warning'],
    [response(404, {}, envelope), 'failed'],
    [response(404, {}, undefined), 'failed'],
    [response(200, {}, { ok: true }), 'failed'],
    [none, 'failed'],
  ])('%#', (given, status) => {
    expect(statusOf(judgeService(given, 'https://pay.example/api/v1'))).toBe(status);
  });

  it('lets the older prefix be, which has no catalogues, and no other', () => {
    const missing = response(404, {}, envelope);
    expect(statusOf(judgeService(missing, 'https://pay.example/v1'))).toBe('warning');
    expect(statusOf(judgeService(missing, 'https://pay.example/api/v2'))).toBe('failed');
  });
});

it.each([
  [response(404), 'ok'],
  [response(200), 'ok'],
  [response(401), 'failed'],
  [response(403), 'failed'],
  [response(503), 'warning'],
  [none, 'warning'],
])('judgeSecretKey %#', (given, status) => {
  expect(statusOf(judgeSecretKey(given))).toBe(status);
});

it.each([
  [response(200), 'ok', 'failed'],
  [response(204), 'ok', 'failed'],
  [response(400), 'ok', 'ok'],
  [response(401), 'failed', 'ok'],
  [response(302), 'failed', 'warning'],
  [response(403), 'failed', 'ok'],
  [response(404), 'failed', 'ok'],
  [response(500), 'failed', 'warning'],
  [response(503), 'failed', 'warning'],
  [{ ...response(200), receivedAt: now + 6000 }, 'warning', 'failed'],
  [none, 'failed', 'warning'],
])('judgeDelivery and judgeForgery %#', (given, delivery, forgery) => {
  expect(statusOf(judgeDelivery(given))).toBe(delivery);
  expect(statusOf(judgeForgery(given))).toBe(forgery);
});

describe('stores', () => {
  it('judgeTables', () => {
    expect([undefined, 1, 2, 3].map((version) => statusOf(judgeTables(version, 2)))).toEqual([
      'warning',
      'failed',
      'ok',
      'failed',
    ]);
  });

  it('judgeDurability', () => {
    expect(statusOf(judgeDurability('on', 'on'))).toBe('ok');
    expect(statusOf(judgeDurability('on', 'local'))).toBe('ok');
    expect(statusOf(judgeDurability('on', 'off'))).toBe('failed');
    expect(statusOf(judgeDurability('off', 'on'))).toBe('failed');
  });

  it('judgeEviction and judgePersistence', () => {
    expect(['noeviction', 'allkeys-lru', undefined].map((policy) => statusOf(judgeEviction(policy)))).toEqual(
      ['ok', 'failed', 'skipped'],
    );
    expect(['1', '0', undefined].map((aof) => statusOf(judgePersistence(aof)))).toEqual([
      'ok',
      'warning',
      'skipped',
    ]);
  });
});

it.each([
  ['18.20.4', 'failed'],
  ['20.18.3', 'failed'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
])('checkNode %s', (version, status) => {
  expect(statusOf(checkNode(version))).toBe(status);
});

it('a finding has its mark, and its remedy below it', () => {
  const finding = {
    check: 'dns',
    status: 'failed',
    message: 'x has no address',
    remedy: 'check it',
  } as const;
  expect(findingLines(finding, plain)).toEqual([
    '✗ dns                  x has no address',
    '                       Check it.',
  ]);
});

it('skipped checks are one line', () => {
  const skipped = ['postgres', 'redis'].map((check) => ({ check, status: 'skipped', message: 'x' }) as const);
  expect(skipped.flatMap((finding) => findingLines(finding, plain))).toEqual([]);
  expect(skippedLines(skipped, plain)).toEqual(['- Not checked: postgres, redis (--json says why)']);
});

import { describe, expect, it } from 'vitest';
import { BillPayError } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import { accepted, airtime, clientWith, json, refusal, reset, type Step, script } from '../support/script.js';
import { calls, isDoubtful, isRepeated, rows } from './attempts.js';

useFakeClock();

describe.each(calls)('$name', ({ kind, make, success }) => {
  it.each(rows.map((row) => [row[0], row] as const))('%s', async (_, row) => {
    const [, step, name] = row;
    const mayHaveCharged = isDoubtful(row, kind);
    const once = script(step);
    const error = await rejected(Promise.resolve(make(clientWith(once.fetch, { maxRetries: 0 }))));
    expect(error).toBeInstanceOf(BillPayError);
    expect(error).toMatchObject({ name, attempts: 1, mayHaveCharged });

    const twice = script(step, success);
    const call = Promise.resolve(make(clientWith(twice.fetch)));
    if (isRepeated(row, kind)) {
      await resolved(call);
      const [first, second] = twice.sent;
      expect(twice.sent).toHaveLength(2);
      expect(second?.bytes).toEqual(first?.bytes);
      expect(second?.url).toBe(first?.url);
      expect([...(second?.headers ?? [])]).toEqual([...(first?.headers ?? [])]);
    } else {
      expect(await rejected(call)).toMatchObject({ name, attempts: 1, mayHaveCharged });
      expect(twice.sent).toHaveLength(1);
    }
  });
});

describe('a success that lacks what a caller cannot do without', () => {
  it.each<[name: string, Step, requests: number]>([
    ['airtime.purchase', json(202, { status: 'pending', data: {} }), 2],
    ['data.products', json(200, { status: 'success', products: [{}] }), 2],
    ['webhooks.subscribe', json(200, { status: 'success', data: {} }), 1],
  ])('of %s is unreadable, and repeated as such', async (name, step, requests) => {
    const { make, success } = calls.find((call) => call.name === name)!;
    const { fetch, sent } = script(step, success);
    const end = await ended(Promise.resolve(make(clientWith(fetch))));
    if (requests === 1)
      expect(end).toMatchObject({ error: { name: 'UnexpectedResponseError', attempts: 1 } });
    else expect(end).toHaveProperty('value');
    expect(sent).toHaveLength(requests);
  });
});

describe('maxRetries', () => {
  const down = refusal(500, 'GATEWAY_ERROR');

  it('is 4 by default, and a call may say otherwise', async () => {
    for (const maxRetries of [undefined, 0, 1, 2]) {
      const { fetch, sent } = script(...Array.from({ length: 9 }, () => down));
      const error = await rejected(clientWith(fetch).airtime.purchase(airtime, { maxRetries }));
      const attempts = (maxRetries ?? 4) + 1;
      expect(error).toMatchObject({ name: 'ServerError', attempts });
      expect(sent).toHaveLength(attempts);
    }
  });
});

describe('the bytes of a repeat', () => {
  it('are the same whatever the caller does to the parameters meanwhile', async () => {
    const { fetch, sent } = script(reset, accepted());
    const params = { ...airtime, amount: 500, idempotency_key: 'order-1' };
    const call = clientWith(fetch).airtime.purchase(params);
    params.amount = 9000;
    params.idempotency_key = 'order-2';
    await resolved(call);
    expect(sent[1]?.bytes).toEqual(sent[0]?.bytes);
    expect(new TextDecoder().decode(sent[0]?.bytes)).toContain('"amount":500');
  });

  it('are on the error too, as the key to come back with', async () => {
    const { fetch, sent } = script(reset);
    const error = await rejected(clientWith(fetch, { maxRetries: 0 }).airtime.purchase(airtime));
    const { idempotency_key } = JSON.parse(new TextDecoder().decode(sent[0]?.bytes));
    expect(error).toMatchObject({
      idempotencyKey: idempotency_key,
      message: expect.stringContaining(`'${idempotency_key}'`),
    });
  });
});

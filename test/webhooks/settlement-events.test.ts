import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/configuration-error.js';
import { createSettlementEvents, type KnownWebhookEvent } from '../../src/webhooks/index.js';

const settled = (
  reference: string,
  event: KnownWebhookEvent['event'] = 'transaction.completed',
): KnownWebhookEvent => ({
  event,
  timestamp: '2026-01-31T09:30:00Z',
  signature_version: 'v1',
  delivery_id: undefined,
  data: {
    reference,
    status: 'success',
    service_type: 'VTU_AIRTIME',
    amount: 500,
    token: null,
    completed_at: '2026-01-31T09:30:00Z',
    metadata: {},
  },
});

const pending = Symbol('pending');
const state = (promise: Promise<unknown>) => Promise.race([promise, Promise.resolve(pending)]);

describe('SettlementEvents', () => {
  it('resolves a wait for an event that was published before, each time', async () => {
    const events = createSettlementEvents();
    events.publish(settled('A'));
    const last = settled('A', 'transaction.failed');
    events.publish(last);
    expect(await events.next('A')).toBe(last);
    expect(await events.next('A', new AbortController().signal)).toBe(last);
  });

  it('leaves no listener behind, whichever way a wait ends', async () => {
    const events = createSettlementEvents();
    const controller = new AbortController();
    const listeners = () => getEventListeners(controller.signal, 'abort').length;
    const settles = events.next('A', controller.signal);
    const aborts = events.next('B', controller.signal);
    expect(listeners()).toBe(1);
    const other = new AbortController();
    const settlesAlone = events.next('A', other.signal);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(1);
    events.publish(settled('A'));
    await settlesAlone;
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
    await settles;
    expect(listeners()).toBe(1);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(aborts).rejects.toBe(reason);
    expect(listeners()).toBe(0);
    await expect(events.next('C', controller.signal)).rejects.toBe(reason);
    expect(listeners()).toBe(0);
    events.publish(settled('B'));
    expect((await events.next('B')).data.reference).toBe('B');
  });

  it('leaves other waits waiting when one is aborted', async () => {
    const events = createSettlementEvents();
    const controller = new AbortController();
    const aborts = events.next('A', controller.signal);
    const stays = events.next('A');
    controller.abort();
    await expect(aborts).rejects.toThrow('aborted');
    events.publish(settled('A'));
    expect((await stays).data.reference).toBe('A');
  });

  it('shows no token when printed', () => {
    const events = createSettlementEvents();
    const event = settled('A');
    event.data.token = '03600873271267716521';
    events.publish(event);
    expect(JSON.stringify(events)).not.toContain('0360');
  });

  it('resolves the same waits as a model with the last `max` references, in any order of events and waits', async () => {
    const references = fc.constantFrom('A', 'B', 'C', 'D', 'E');
    const step = fc.record({ kind: fc.constantFrom('publish', 'next'), reference: references });
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.integer({ min: 1, max: 4 }), async (steps, max) => {
        const events = createSettlementEvents({ max });
        let kept: string[] = [];
        const waits: { reference: string; promise: Promise<unknown>; settled: boolean }[] = [];
        for (const { kind, reference } of steps) {
          if (kind === 'publish') {
            events.publish(settled(reference));
            kept = [...kept.filter((other) => other !== reference), reference].slice(-max);
            for (const wait of waits) wait.settled ||= wait.reference === reference;
          } else {
            waits.push({ reference, promise: events.next(reference), settled: kept.includes(reference) });
          }
        }
        for (const wait of waits) expect((await state(wait.promise)) !== pending).toBe(wait.settled);
      }),
    );
  });

  it.each([0, 1.5, '10'])('refuses a max of %j', (max) => {
    const make = () => createSettlementEvents({ max: max as number });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow('max: must be a whole number');
  });
});

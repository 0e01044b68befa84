import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWebhookHandler, signWebhook, type WebhookEvent } from '../../src/webhooks/index.js';
import { eventKey } from '../../src/webhooks/once.js';
import { recordingLogger, secret } from './deliveries.js';

const keyOf = (event: string, reference: string): string =>
  eventKey({ event, data: { reference } } as unknown as WebhookEvent);

describe('the de-duplication key', () => {
  it.each([
    ['a:b', 'c', 'a%003ab:c'],
    ['a', 'b:c', 'a:b%003ac'],
    ['a%003ab', 'c', 'a%0025003ab:c'],
    ['a', 'b\0\n', 'a:b%0000%000a'],
    ['a', '\ud800', 'a:%d800'],
    ['a', '💡é', 'a:💡é'],
  ])('of %j and %j is %j', (event, reference, key) => {
    expect(keyOf(event, reference)).toBe(key);
  });

  it('is the same only for the same event and reference', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', ':', '%', '0', '3', '\0', '\ud800', '\udc00', '💡'),
    });
    fc.assert(
      fc.property(part, part, part, part, (eventA, referenceA, eventB, referenceB) => {
        const same = eventA === eventB && referenceA === referenceB;
        expect(keyOf(eventA, referenceA) === keyOf(eventB, referenceB)).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });

  it('has no control character and no lone surrogate, whatever the event holds', () => {
    const part = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(part, part, (event, reference) => {
        expect(keyOf(event, reference)).toMatch(/^[^\p{Cc}\p{Cs}]*$/u);
      }),
      { numRuns: 500 },
    );
  });

  it('lets two events of nearly the same name and reference both reach their handler', async () => {
    const handled: unknown[] = [];
    const handler = createWebhookHandler({
      secret,
      logger: recordingLogger(),
      onUnknown: ({ event, data }) => handled.push([event, data.reference]),
    });
    for (const [event, reference] of [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['a', 'b:c'],
    ]) {
      const body = JSON.stringify({ event, data: { reference } });
      const { 'X-Service-Event': _, ...headers } = signWebhook({ body, secret });
      expect((await handler.receive({ method: 'POST', headers, body })).status).toBe(200);
    }
    expect(handled).toEqual([
      ['a', 'b:c'],
      ['a:b', 'c'],
    ]);
  });
});

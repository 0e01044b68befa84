import { expect, test } from 'vitest';
import { type FaultFacts, faultSentence } from '../../../src/sandbox/words/faults.js';

const purchases = (['airtime', 'data', 'tv', 'electricity', 'edu'] as const).map(
  (product) => `${product}.purchase` as const,
);

test.each<[Partial<FaultFacts>, string]>([
  [
    { operation: purchases, when: 'after', connection: 'close', remaining: 3 },
    'the next 3 purchases lose their response, 0 of 3 used',
  ],
  [
    { operation: purchases, when: 'after', connection: 'close', remaining: 1, used: 2 },
    'the next purchase loses its response, 2 of 3 used',
  ],
  [{ connection: 'close' }, 'all calls get no connection, used 0 times'],
  [{ status: 503, code: 'QUEUE_UNAVAILABLE', used: 1 }, 'all calls get 503 QUEUE_UNAVAILABLE, used 1 time'],
  [
    {
      operation: 'tv.validate',
      when: 'after',
      status: 500,
      remaining: 1,
      recipient: '0211',
      clientId: 'shop',
    },
    'the next tv.validate call for 0211 of shop is processed, but gets 500, 0 of 1 used',
  ],
  [
    { when: 'after', status: 502, body: '<html>' },
    'all calls are processed, but get 502 with an HTML page, used 0 times',
  ],
  [{ status: 200, body: {} }, 'all calls get 200 with another body, used 0 times'],
  [{ cutBody: true }, 'all calls get a response that is cut off, used 0 times'],
  [
    { delay: '3s', status: 429, retryAfter: 2 },
    'all calls wait 3s, get 429, with Retry-After 2, used 0 times',
  ],
  [{ delay: 250, remaining: 1 }, 'the next call waits 250 ms, 0 of 1 used'],
  [{ headers: {} }, 'all calls get other headers, used 0 times'],
])('%j: %s', (fault, sentence) => {
  expect(faultSentence({ remaining: 'always', used: 0, ...fault })).toBe(sentence);
});

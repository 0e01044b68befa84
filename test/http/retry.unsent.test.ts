import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextWaitMs, type RetryQuestion } from '../../src/http/retry.js';
import type { TransportFailure } from '../../src/http/transport.js';
import { noResponse } from './sample-outcomes.js';

const unsent = (why: TransportFailure['why'] = 'connection'): TransportFailure => ({
  ...noResponse(why, false),
  unsent: true,
});

const question = (more: Partial<RetryQuestion> = {}): RetryQuestion => ({
  kind: 'purchase',
  outcome: unsent(),
  final: false,
  attempt: 1,
  maxRetries: 4,
  remainingMs: 60_000,
  retryAfterSeconds: undefined,
  random: 0.5,
  ...more,
});

describe('a request that never left is sent again', () => {
  it.each<[string, Partial<RetryQuestion>, number | undefined]>([
    ['at once', {}, 0],
    ['at once when it was out of time', { outcome: unsent('timeout') }, 0],
    ['at once whichever attempt it was', { attempt: 3 }, 0],
    ['after a wait the second time', { repeatedAtOnce: true }, 375],
    [
      'after a wait where the transport did not see the socket',
      { outcome: noResponse('connection', false) },
      375,
    ],
    ['never after an abort', { outcome: unsent('aborted') }, undefined],
    ['never beyond maxRetries', { attempt: 5 }, undefined],
    ['never with maxRetries 0', { maxRetries: 0 }, undefined],
    ['never past the deadline', { remainingMs: 0 }, undefined],
    ['never when a pacer has no turn in time', { turnInMs: 60_000 }, undefined],
    ['never when it subscribes', { kind: 'subscribe' }, undefined],
  ])('%s', (_, more, wait) => {
    expect(nextWaitMs(question(more))).toBe(wait);
  });

  it('and nothing else is sent again without a wait', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('connection', 'timeout', 'aborted'),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (why, mayHaveArrived, attempt, random) => {
          const outcome = noResponse(why, mayHaveArrived);
          const wait = nextWaitMs(question({ outcome, attempt, maxRetries: 9, random }));
          expect(wait ?? 250).toBeGreaterThanOrEqual(250);
        },
      ),
    );
  });
});

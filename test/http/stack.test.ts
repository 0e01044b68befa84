import { describe, expect, it } from 'vitest';
import type { BillPayOptions } from '../../src/index.js';
import { clientWith, refusal, type Step, script } from '../support/script.js';
import { rejectionOf } from '../support/wire.js';
import { consumer } from './consumer.js';

/** The lines of a rejection's stack that are the consumer's. */
async function consumerLines(
  name: string,
  steps: readonly Step[],
  options: BillPayOptions = {},
): Promise<string[]> {
  try {
    const quick = { maxRetries: 0, retryDelay: () => 0, ...options };
    await consumer[name]?.(clientWith(script(...steps).fetch, quick));
  } catch (error) {
    const lines = error instanceof Error ? (error.stack ?? '').split('\n') : [];
    return lines.filter((line) => line.includes('http/consumer.ts')).map((line) => line.trim());
  }
  throw new Error(`${name} was expected to fail`);
}

const down = refusal(401, 'UNAUTHORIZED');
const busy = refusal(429, 'RATE_LIMITED');

describe.each(Object.keys(consumer))('the stack of an error of %s', (name) => {
  it('shows the caller’s function, file and line', async () => {
    expect(await consumerLines(name, [down])).toEqual([
      expect.stringMatching(
        new RegExp(`^at (async )?(Object\\.)?${name} .*http/consumer\\.ts:\\d+:\\d+\\)$`),
      ),
    ]);
  });

  it('shows it after retries too, and when calls are observed', async () => {
    const observed: BillPayOptions = { onCall: () => {}, aroundCall: (_, next) => next() };
    expect(await consumerLines(name, [busy, busy, down], { maxRetries: 2, ...observed })).toHaveLength(1);
  });
});

it('the stack of a refusal has no frames of the checks, which would leave fewer for the caller', async () => {
  const error = await rejectionOf(consumer['sellBadly']!(clientWith(script().fetch)));
  expect(error).toHaveProperty('stack', expect.not.stringMatching(/http\/prepare\.ts/));
});

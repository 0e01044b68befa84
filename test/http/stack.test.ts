import { describe, expect, it } from 'vitest';
import { BillPay } from '../../src/index.js';
import { refusal, type Step, script } from '../support/script.js';
import { consumer } from './consumer.js';

const billpayWith = (steps: readonly Step[], maxRetries: number): BillPay =>
  new BillPay({
    apiKey: 'sk_test_4f9c1d7e',
    clientId: 'client-1',
    baseUrl: 'https://service.test/api/v1',
    fetch: script(...steps).fetch,
    maxRetries,
    retryDelay: () => 0,
    logLevel: 'off',
  });

/** The lines of a rejection's stack that are the consumer's. */
async function consumerLines(name: string, steps: readonly Step[], maxRetries = 0): Promise<string[]> {
  try {
    await consumer[name]?.(billpayWith(steps, maxRetries));
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

  it('shows it after retries too', async () => {
    expect(await consumerLines(name, [busy, busy, down], 2)).toHaveLength(1);
  });
});

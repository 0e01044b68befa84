import { describe, expect, it } from 'vitest';
import { BillPay, type BillPayOptions } from '../../src/index.js';
import { refusal, type Step, script } from '../support/script.js';
import { consumer } from './consumer.js';

const billpayWith = (steps: readonly Step[], options: BillPayOptions): BillPay =>
  new BillPay({
    apiKey: 'sk_test_4f9c1d7e',
    clientId: 'client-1',
    baseUrl: 'https://service.test/api/v1',
    fetch: script(...steps).fetch,
    maxRetries: 0,
    retryDelay: () => 0,
    logLevel: 'off',
    ...options,
  });

/** The lines of a rejection's stack that are the consumer's. */
async function consumerLines(
  name: string,
  steps: readonly Step[],
  options: BillPayOptions = {},
): Promise<string[]> {
  try {
    await consumer[name]?.(billpayWith(steps, options));
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
    expect(await consumerLines(name, [busy, busy, down], { maxRetries: 2 })).toHaveLength(1);
  });

  it('shows it when calls are observed', async () => {
    const options: BillPayOptions = { onCall: () => {}, aroundCall: (_, next) => next() };
    expect(await consumerLines(name, [down], options)).toHaveLength(1);
  });
});

/**
 * How the time to make an error of a response and to print it grows with the size of the response: 422 responses whose one field holds texts
 * that patterns for secrets begin to match again and again.
 *
 *   npx tsx test/bench/redaction.ts
 */
import { inspect } from 'node:util';
import { BillPay, ValidationError } from '../../src/index.js';
import { hideTokens } from '../../src/redaction/patterns.js';
import { hardTexts } from '../support/hard-texts.js';

const sizes = [25_000, 50_000, 100_000, 200_000, 400_000];
const runs = 5;

async function printedError(text: string): Promise<void> {
  const body = { status: 'error', code: 'VALIDATION_FAILED', message: text, errors: { recipient: text } };
  const billpay = new BillPay({
    apiKey: 'sk_test_S3cr3tK3yV4lue',
    clientId: 'bench',
    baseUrl: 'https://pay.example/api/v1',
    maxRetries: 0,
    fetch: async () => Response.json(body, { status: 422 }),
  });
  const error: unknown = await billpay.data.products({ biller: 'MTN' }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ValidationError) || error.errors['recipient'] !== text) throw error;
  inspect(error, { depth: 20 });
  JSON.stringify(error);
}

/** The shortest of some runs, in ms. */
async function fastest(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

const ways = {
  'the error of a response, made and printed': printedError,
  'the patterns on the whole text': hideTokens,
} as const;

await printedError('warm up');
for (const [name, work] of Object.entries(ways)) {
  console.log(`\n### ${name}, in ms (and as a ratio to the size before; 2 is linear)\n`);
  console.log(`| text | ${sizes.map((size) => `${size / 1000} kB`).join(' | ')} |`);
  console.log(`|---|${sizes.map(() => '---:|').join('')}`);
  for (const part of hardTexts) {
    const cells: string[] = [];
    let before: number | undefined;
    for (const size of sizes) {
      const text = part.repeat(Math.ceil(size / part.length));
      const ms = await fastest(() => work(text));
      cells.push(`${ms.toFixed(2)}${before === undefined ? '' : ` (${(ms / before).toFixed(1)})`}`);
      before = ms;
    }
    console.log(`| \`${part}\` | ${cells.join(' | ')} |`);
  }
}

/**
 * What a receiver spends on deliveries that anybody can send, beside what `verifyWebhook` spends on refusing the same.
 * Run: npm run bench:forged
 */
import { createWebhookHandler, verifyWebhook } from '../../src/webhooks/index.js';

const rounds = 15;
const each = 200;
const body = JSON.stringify({
  event: 'transaction.completed',
  data: { reference: 'TXN-1', status: 'success', token: '03600873271267716521' },
});
const now = String(Math.floor(Date.now() / 1000));
const signature = '0'.repeat(64);

const forgeries: Readonly<Record<string, Record<string, string>>> = {
  'without headers': {},
  'with an old timestamp': { 'x-service-signature': signature, 'x-service-timestamp': '1600000000' },
  'with a wrong signature': { 'x-service-signature': signature, 'x-service-timestamp': now },
};

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** µs for one run. */
async function timeOf(work: () => unknown): Promise<number> {
  const from = performance.now();
  for (let run = 0; run < each; run++) await work();
  return ((performance.now() - from) * 1000) / each;
}

const ignore = () => {};
const logger = { info: ignore, warn: ignore, error: ignore };

for (const secretLength of [22, 64, 1024]) {
  const secret = `whsec_${'4f1c09b7d26e8a35'.repeat(64).slice(0, secretLength)}`;
  const handler = createWebhookHandler({ secret, on: { 'transaction.completed': ignore }, logger });
  for (const [what, headers] of Object.entries(forgeries)) {
    const receive = () => handler.receive({ method: 'POST', headers, body });
    const verify = () => {
      try {
        verifyWebhook({ body, headers, secret });
      } catch {
        return;
      }
      throw new Error('a forged delivery was accepted');
    };
    const times: { received: number; verified: number }[] = [];
    for (let round = -3; round < rounds; round++) {
      const time = { received: await timeOf(receive), verified: await timeOf(verify) };
      if (round >= 0) times.push(time);
    }
    const received = median(times.map((time) => time.received));
    const verified = median(times.map((time) => time.verified));
    const ratio = median(times.map((time) => time.received / time.verified));
    console.log(
      `secret of ${secretLength} characters, forged ${what}: ${received.toFixed(0)} µs, verifyWebhook ${verified.toFixed(0)} µs, x ${ratio.toFixed(2)}`,
    );
  }
}

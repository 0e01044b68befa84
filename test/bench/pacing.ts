/**
 * How long it takes to sell under the documented rate limits (20 purchases a minute), with and without pacing, against the sandbox.
 *
 *   npm run bench:pacing -- [purchases]    simulated minutes: the clients' timers and the sandbox's clock are moved from event to event
 */
import { BillPay, type BillPayOptions, RateLimitError } from '../../src/index.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { passTime, virtualTime } from '../support/virtual-time.js';

const minute = 60_000;
const count = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 200);
/** 20 at once, and 20 more after each whole minute. */
const leastMs = Math.floor((count - 1) / 20) * minute;

const openSandbox = () =>
  createSandbox({ clock: 'manual', rateLimits: true, settleAfter: 'manual', balance: 1e9, seed: 'pacing' });

const clientOf = (sandbox: Sandbox, options: Partial<BillPayOptions>) =>
  new BillPay({
    fetch: sandbox.fetch,
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.credentials.secretKey,
    clientId: sandbox.credentials.clientId,
    totalTimeout: 24 * 60 * minute,
    logLevel: 'error',
    ...options,
  });

const buy = (billpay: BillPay, id: number) =>
  billpay.airtime.purchase({
    biller: 'MTN',
    recipient: '08031234567',
    amount: 100,
    idempotency_key: `order-${id}`,
  });

/** What the client gave up on within its retries and its deadline: the last column but one counts it. */
const passOver = (error: unknown) => {
  if (!(error instanceof RateLimitError)) throw error;
};

/** So many at once, until all were tried. */
async function lanes(billpay: BillPay, width: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await buy(billpay, next++).catch(passOver);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

interface Way {
  readonly name: string;
  readonly options: Partial<BillPayOptions>;
  readonly sell: (billpay: BillPay) => Promise<void>;
}

const ways: readonly Way[] = [
  { name: 'pacing: true', options: { pacing: true }, sell: (billpay) => lanes(billpay, count) },
  {
    name: 'retries on 429, 20 at once',
    options: { maxRetries: 10_000 },
    sell: (billpay) => lanes(billpay, 20),
  },
  {
    name: 'retries on 429, all at once',
    options: { maxRetries: 10_000 },
    sell: (billpay) => lanes(billpay, count),
  },
  {
    name: 'the same, by default options',
    options: { maxRetries: 4, totalTimeout: 120_000 },
    sell: (billpay) => lanes(billpay, count),
  },
  {
    name: 'sleeps 3 s between purchases',
    options: {},
    async sell(billpay) {
      for (let id = 0; id < count; id++) {
        if (id > 0) await new Promise((resolve) => setTimeout(resolve, 3000));
        await buy(billpay, id);
      }
    },
  },
];

const columns = ['way', 'time', '429s', 'not sold', 'of the least possible'];
const print = (...cells: readonly string[]) =>
  console.log(
    cells.map((cell, at) => (at === 0 ? cell.padEnd(30) : cell.padStart(at === 4 ? 23 : 12))).join(''),
  );
const shown = (ms: number) => `${Math.floor(ms / minute)}m ${((ms % minute) / 1000).toFixed(1)}s`;

function report(name: string, ms: number, sandbox: Sandbox): void {
  const refused = sandbox.requests.filter(({ response }) => response?.status === 429).length;
  const { ok, problems } = sandbox.audit();
  if (!ok) throw new Error(problems[0]);
  const notSold = count - sandbox.transactions.length;
  const ratio = leastMs === 0 || notSold > 0 ? '' : (ms / leastMs).toFixed(4);
  print(name, shown(ms), String(refused), String(notSold), ratio);
}

async function simulated({ name, options, sell }: Way): Promise<void> {
  const sandbox = openSandbox();
  const time = virtualTime();
  try {
    await passTime(time, sell(clientOf(sandbox, options)), (ms) => sandbox.advance(ms));
    report(name, time.now(), sandbox);
  } finally {
    time.restore();
    await sandbox.close();
  }
}

console.log(`${count} purchases; ${shown(leastMs)} is the least possible (simulated time)\n`);
print(...columns);
for (const way of ways) await simulated(way);

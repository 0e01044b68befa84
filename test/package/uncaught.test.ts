import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/sockets.js';
import { installedConsumer } from './consumer.js';

let consumer: string;
let closedPort: number;

beforeAll(async () => {
  consumer = installedConsumer();
  closedPort = await freePort();
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const formats = [
  { format: 'ESM', file: 'sell.mjs', load: "import { BillPay } from 'billpay';" },
  { format: 'CommonJS', file: 'sell.cjs', load: "const { BillPay } = require('billpay');" },
];

/** What Node prints on the uncaught error of a script whose purchase is refused by a closed port. */
function uncaught({ file, load }: (typeof formats)[number]): string {
  writeFileSync(
    join(consumer, file),
    `${load}
const billpay = new BillPay({ apiKey: 'sk_x', clientId: 'c', baseUrl: 'http://127.0.0.1:${closedPort}/api/v1', maxRetries: 0 });
async function sellAirtime() {
  return await billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });
}
async function main() {
  await sellAirtime();
}
main();
`,
  );
  const { status, stderr } = spawnSync(process.execPath, [file], { cwd: consumer, encoding: 'utf8' });
  expect(status).toBe(1);
  return stderr;
}

describe.each(formats)('an uncaught error of a script ($format)', (script) => {
  it("prints less than 3 kB, with the class name that the docs use and the script's own lines", () => {
    const printed = uncaught(script);
    console.log(`${script.format}: ${Buffer.byteLength(printed)} bytes, budget 3000`);
    expect(printed).toContain('ConnectionError');
    const file = script.file.replace('.', '\\.');
    expect(printed).toMatch(new RegExp(`at (async )?sellAirtime \\(.*${file}:4:`));
    expect(printed).toMatch(new RegExp(`at (async )?main \\(.*${file}:7:`));
    expect(Buffer.byteLength(printed)).toBeLessThan(3000);
  });
});

it('the published code keeps its lines and the names of its classes', () => {
  const dist = join(consumer, 'node_modules/billpay/dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  // Nobody steps into the sandbox's page, which is for browsers, or into what parses the arguments of the commands.
  const code = files.filter((name) => /^(?!sandbox\/page\/|libraries\/).*\.c?js$/.test(name));
  for (const file of code) {
    const lines = readFileSync(join(dist, file), 'utf8').split('\n');
    const longest = Math.max(...lines.map((line) => line.length));
    expect(longest, file).toBeLessThan(3000);
  }
});

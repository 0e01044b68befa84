import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedConsumer, root } from './consumer.js';

let consumer: string;

beforeAll(() => {
  consumer = installedConsumer({ type: 'module' });
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** One figure of the compiler's diagnostics for a project of one file. */
function diagnosed(label: string, code: string): number {
  const file = join(consumer, 'use.ts');
  writeFileSync(file, code);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--extendedDiagnostics'];
  const modules = ['--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext'];
  const printed = execFileSync(process.execPath, [tsc, ...options, ...modules, file], {
    cwd: consumer,
    encoding: 'utf8',
  });
  const figure = new RegExp(`^${label}:\\s+(\\d+)`, 'm').exec(printed)?.[1];
  if (figure === undefined) throw new Error(`tsc printed no ${label}:\n${printed}`);
  return Number(figure);
}

const buy = `import { BillPay } from 'billpay';
  const billpay = new BillPay();
  export const buy = async (key: string): Promise<string> => {
    const { reference } = await billpay.airtime.purchase({
      biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: key,
    });
    return reference;
  };`;

it('the types of one call cost at most 1,000 instantiations above an empty file', () => {
  const above = diagnosed('Instantiations', buy) - diagnosed('Instantiations', 'export const nothing = 0;');
  console.log(`instantiations: ${above}, budget 1000`);
  // Zero would mean that the package was not found.
  expect(above).toBeGreaterThan(0);
  expect(above).toBeLessThanOrEqual(1000);
});

it('the types of one call are read from at most 16 files', () => {
  const above = diagnosed('Files', buy) - diagnosed('Files', 'export const nothing = 0;');
  console.log(`declaration files: ${above}, budget 16`);
  expect(above).toBeGreaterThan(0);
  expect(above).toBeLessThanOrEqual(16);
});

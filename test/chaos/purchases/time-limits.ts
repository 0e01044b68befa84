import { BillPay, type Transport } from '../../../src/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { FaultyProxy } from '../proxy/proxy.js';

/**
 * ms to give an attempt in these runs: little, so that a stall costs little, and enough for a call that nothing is done
 * to, on a machine as busy as this one is now.
 */
export async function measurePatience(transport: Transport | undefined): Promise<number> {
  const sandbox = createSandbox();
  const { port, connection } = await sandbox.listen();
  const proxy = await FaultyProxy.start({ targetPort: port });
  const client = new BillPay({
    ...connection,
    baseUrl: `http://127.0.0.1:${proxy.port}/api/v1`,
    transport,
  });
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 64 }, () => client.data.products({ biller: 'MTN' })));
    best = Math.min(best, performance.now() - startedAt);
  }
  await proxy.close();
  await sandbox.close();
  return Math.min(2000, Math.max(150, Math.ceil(6 * best)));
}

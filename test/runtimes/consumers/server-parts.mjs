import { BillPay } from 'billpay';
import { purchaseAll } from 'billpay/bulk';
import { nodeTransport } from 'billpay/node';
import { memoryOrderStore } from 'billpay/orders';
import { createSandbox } from 'billpay/sandbox';

// Not awaited at the top level: Rollup puts what the sandbox loads with `import()` behind the module that would wait for it.
async function sell() {
  const sandbox = createSandbox({ settleAfter: 'manual' });
  const { connection, close } = await sandbox.listen();
  const billpay = new BillPay({ ...connection, transport: nodeTransport() });
  const items = ['first', 'second', 'third'].map((key) => ({
    product: 'airtime',
    params: { biller: 'MTN', recipient: '08031234567', amount: 500 },
    idempotency_key: key,
  }));
  const { accepted } = await purchaseAll(billpay, items, { store: memoryOrderStore(), run: 'bundled' });
  await close();
  console.log(`REPORT ${JSON.stringify({ accepted, sold: sandbox.transactions.length })}`);
}

sell();

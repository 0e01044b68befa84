import { apiKey, clientId, purchase } from './purchase.mjs';

const { BillPay } = await import(`${process.env.BENCH_PACKAGE}/dist/index.js`);
const { nodeTransport } = await import(`${process.env.BENCH_PACKAGE}/dist/node/index.js`);

export function make(baseUrl) {
  const billpay = new BillPay({ apiKey, clientId, baseUrl, transport: nodeTransport() });
  return (key) => billpay.airtime.purchase(purchase(key));
}

import { apiKey, clientId, purchase } from './purchase.mjs';

const { BillPay } = await import(`${process.env.BENCH_PACKAGE}/dist/index.js`);

export function make(baseUrl) {
  const billpay = new BillPay({ apiKey, clientId, baseUrl });
  return (key) => billpay.airtime.purchase(purchase(key));
}

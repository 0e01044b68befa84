import { BillPay } from 'billpay';
import { nodeFetch } from 'billpay/node';
import { apiKey, clientId, sale } from './sale.mjs';

export function make(baseUrl) {
  const billpay = new BillPay({ apiKey, clientId, baseUrl, fetch: nodeFetch() });
  return (key) => billpay.airtime.purchase(sale(key));
}

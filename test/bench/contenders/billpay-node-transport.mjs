import { BillPay } from 'billpay';
import { nodeTransport } from 'billpay/node';
import { apiKey, clientId, sale } from './sale.mjs';

export function make(baseUrl) {
  const billpay = new BillPay({ apiKey, clientId, baseUrl, transport: nodeTransport() });
  return (key) => billpay.airtime.purchase(sale(key));
}

import { BillPay } from 'billpay';
import { apiKey, clientId, sale } from './sale.mjs';

export function make(baseUrl) {
  const billpay = new BillPay({ apiKey, clientId, baseUrl });
  return (key) => billpay.airtime.purchase(sale(key));
}

import type { BillPay } from '../../src/index.js';

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };

/** An application's own functions, one for every way through the client: their names and this file must be in the stacks of their errors. */
export const consumer: Readonly<Record<string, (billpay: BillPay) => Promise<unknown>>> = {
  async sellAirtime(billpay) {
    return await billpay.airtime.purchase(airtime);
  },
  async listBundles(billpay) {
    return await billpay.data.products({ biller: 'MTN' });
  },
  async lookUp(billpay) {
    return await billpay.transactions.status('TXN-1');
  },
  async follow(billpay) {
    return await billpay.transactions.waitUntilSettled('TXN-1', { interval: 1 });
  },
  async callAnything(billpay) {
    return await billpay.request({ method: 'GET', path: '/data/variations' });
  },
  async sellAndRead(billpay) {
    return await billpay.airtime.purchase(airtime).withResponse();
  },
  async sellOneOfMany(billpay) {
    return await Promise.all([billpay.airtime.purchase(airtime)]);
  },
  async sellBadly(billpay) {
    return await billpay.airtime.purchase({ ...airtime, recipient: '' });
  },
};

import type { BillPay } from '../../src/index.js';

/** An application's own functions, one for every call: their names and this file must be in the stacks of their errors. */
export const consumer: Readonly<Record<string, (billpay: BillPay) => Promise<unknown>>> = {
  async sellAirtime(billpay) {
    return await billpay.airtime.purchase({ biller: 'MTN', recipient: '08031234567', amount: 500 });
  },
  async listBundles(billpay) {
    return await billpay.data.products({ biller: 'MTN' });
  },
  async sellBundle(billpay) {
    return await billpay.data.purchase({ biller: 'MTN', recipient: '08031234567', product_code: 'A' });
  },
  async nameOfCard(billpay) {
    return await billpay.tv.validate({ biller: 'DSTV', recipient: '02110144711' });
  },
  async listPackages(billpay) {
    return await billpay.tv.products({ biller: 'DSTV' });
  },
  async sellPackage(billpay) {
    return await billpay.tv.purchase({ biller: 'DSTV', recipient: '02110144711', product_code: 'A' });
  },
  async nameOfMeter(billpay) {
    return await billpay.electricity.validate({
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
    });
  },
  async sellToken(billpay) {
    return await billpay.electricity.purchase({
      biller: 'IKEDC',
      recipient: '0124000952992',
      meter_type: 'prepaid',
      amount: 1000,
    });
  },
  async nameOfProfile(billpay) {
    return await billpay.edu.validate({ biller: 'JAMB', recipient: '0123456789' });
  },
  async listPins(billpay) {
    return await billpay.edu.products({ biller: 'WAEC' });
  },
  async sellPin(billpay) {
    return await billpay.edu.purchase({ biller: 'WAEC', recipient: '08031234567', product_code: 'A' });
  },
  async lookUp(billpay) {
    return await billpay.transactions.status('TXN-1');
  },
  async follow(billpay) {
    return await billpay.transactions.waitUntilSettled('TXN-1', { interval: 1 });
  },
  async subscribe(billpay) {
    return await billpay.webhooks.subscribe({ url: 'https://shop.test/hook' });
  },
  async callAnything(billpay) {
    return await billpay.request({ method: 'GET', path: '/data/variations' });
  },
  async sellAndRead(billpay) {
    const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    return await billpay.airtime.purchase(params).withResponse();
  },
  async sellOneOfMany(billpay) {
    const params = { biller: 'MTN', recipient: '08031234567', amount: 500 };
    return await Promise.all([billpay.airtime.purchase(params)]);
  },
  async sellBadly(billpay) {
    return await billpay.airtime.purchase({ biller: 'MTN', recipient: '', amount: 500 });
  },
};

import { type OperationName, operations } from '../../src/contract/operations.js';
import type { ApiCall, BillPay, CallOptions } from '../../src/index.js';
import { acceptance, catalogue, confirmation, subscription, transaction } from './envelopes.js';

const phone = '08031234567';
const meter = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' };
const card = { biller: 'DSTV', recipient: '02110144711' };
const key = { idempotency_key: 'order-77' };

/** Valid parameters of every operation, with every field. */
export const complete: Readonly<Record<OperationName, Readonly<Record<string, unknown>>>> = {
  'airtime.purchase': { biller: 'MTN', recipient: phone, amount: 500, ...key },
  'data.products': { biller: 'MTN' },
  'data.purchase': { biller: 'mtn', recipient: phone, product_code: 'MTN-2GB-D', amount: 750, ...key },
  'tv.validate': card,
  'tv.products': { biller: 'DSTV' },
  'tv.purchase': { ...card, product_code: 'DSTV-PADI', amount: 4400, customer_phone: phone, ...key },
  'electricity.validate': meter,
  'electricity.purchase': { ...meter, amount: 5000.5, customer_phone: phone, ...key },
  'edu.validate': { biller: 'JAMB', recipient: '0123456789' },
  'edu.products': { biller: 'WAEC' },
  'edu.purchase': {
    biller: 'WAEC',
    recipient: phone,
    product_code: 'WAEC-RC',
    quantity: 2,
    customer_phone: phone,
    ...key,
  },
  'transactions.status': { reference: 'TXN-1' },
  'webhooks.subscribe': { url: 'https://shop.test/hook', enabled: true },
};

export const operationNames = Object.keys(complete) as OperationName[];

/** Calls an operation by its name, with any value. */
export function callBy(
  billpay: BillPay,
  name: OperationName,
  params: unknown,
  options?: CallOptions,
): ApiCall<unknown> {
  if (name === 'transactions.status') {
    return billpay.transactions.status(Reflect.get(Object(params), 'reference'), options);
  }
  const [resource, method] = name.split('.');
  const owner: unknown = Reflect.get(billpay, resource ?? '');
  return Reflect.apply(Reflect.get(Object(owner), method ?? ''), owner, [params, options]);
}

/** The documented response of an operation to its complete parameters. */
export function successOf(name: OperationName): { readonly status: number; readonly body: object } {
  const { biller, recipient, amount = 7200, url, enabled } = complete[name];
  const bodies: Readonly<Record<string, object>> = {
    purchase: acceptance({ biller, recipient, amount }),
    products: { ...catalogue(), biller },
    validate: confirmation(name === 'electricity.validate' ? '4 Marina Road, Lagos' : undefined),
    status: transaction('success'),
    subscribe: subscription({ url, enabled }),
  };
  return { status: operations[name].successStatus, body: bodies[name.split('.')[1] ?? ''] ?? {} };
}

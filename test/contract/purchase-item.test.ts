import { describe, expect, it } from 'vitest';
import { checkPurchaseItem } from '../../src/contract/purchase-item.js';

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 };
const item = { product: 'airtime', params: airtime, idempotency_key: 'order-7' };

const purchaseItemErrors = (given: unknown) => {
  const checked = checkPurchaseItem(given);
  return checked.ok ? undefined : checked.errors;
};

describe('an item to purchase', () => {
  it('is checked as the purchase of its product would be', () => {
    expect(checkPurchaseItem(item)).toEqual({ ok: true, item });
    expect(purchaseItemErrors(item)).toBeUndefined();

    const jamb = { biller: 'JAMB', recipient: '08031234567', product_code: 'utme', quantity: 1 };
    const pin = { product: 'edu', params: { ...jamb, customer_phone: '08031234567' }, idempotency_key: 'k' };
    expect(checkPurchaseItem(pin)).toEqual({ ok: true, item: pin });
    expect(purchaseItemErrors({ ...item, product: 'edu' })).toHaveProperty('product_code');
  });

  it('names each wrong field', () => {
    const errors = { recipient: expect.any(String), idempotency_key: expect.any(String) };
    const wrong = { product: 'airtime', params: { biller: 'MTN', amount: 500 } };
    expect(checkPurchaseItem(wrong)).toEqual({ ok: false, errors });
    expect(purchaseItemErrors(wrong)).toEqual(errors);
    expect(Object.keys(purchaseItemErrors({ ...item, params: undefined }) ?? {})).toContain('biller');
  });

  it.each([undefined, null, 'airtime', 7])('is refused when it is %s', (given) => {
    expect(purchaseItemErrors(given)).toEqual({
      item: 'must be an object: { product, params, idempotency_key }',
    });
  });

  it('is refused when its accessors throw', () => {
    const hostile = {
      get product(): string {
        throw new Error('no');
      },
    };
    expect(purchaseItemErrors(hostile)).toHaveProperty('item');
  });

  it.each(['fuel', undefined, 'purchase'])('is refused for the product %s', (product) => {
    expect(purchaseItemErrors({ ...item, product })).toEqual({
      product: 'must be one of airtime, data, tv, electricity, edu',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import * as vocabulary from '../../src/contract/vocabulary.js';
import { billers, foreignBillerProblem, isUnlistedBiller, products } from '../../src/contract/vocabulary.js';

describe('the operations table', () => {
  it('has the documented method, path, key, kind and status of every endpoint', () => {
    const table = Object.entries(operations).map(
      ([name, { method, path, requiredKey, kind, successStatus }]) =>
        [name, method, path, requiredKey, kind, successStatus].join(' '),
    );
    expect(table.toSorted()).toEqual([
      'airtime.purchase POST /airtime/purchase secret purchase 202',
      'data.products GET /data/products public read 200',
      'data.purchase POST /data/purchase secret purchase 202',
      'edu.products GET /edu/products public read 200',
      'edu.purchase POST /edu/purchase secret purchase 202',
      'edu.validate POST /edu/validate public read 200',
      'electricity.purchase POST /electricity/purchase secret purchase 202',
      'electricity.validate POST /electricity/validate public read 200',
      'transactions.status GET /transactions/status secret read 200',
      'tv.products GET /tv/products public read 200',
      'tv.purchase POST /tv/purchase secret purchase 202',
      'tv.validate POST /tv/validate public read 200',
      'webhooks.subscribe POST /webhooks/subscribe secret subscribe 200',
    ]);
  });
});

describe('the vocabulary', () => {
  it('is as documented', () => {
    const { webhookHeaders, ...others } = Object.fromEntries(
      Object.entries(vocabulary).filter(([, value]) => typeof value !== 'function'),
    );
    // The headers are compared with docs/service.md in test/docs/service.test.ts.
    expect(Object.keys(Object(webhookHeaders))).toHaveLength(4);
    expect(others).toEqual({
      products: ['airtime', 'data', 'tv', 'electricity', 'edu'],
      billers: {
        airtime: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
        data: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
        tv: ['DSTV', 'GOTV', 'STARTIMES'],
        electricity: ['IKEDC', 'EKEDC', 'AEDC'],
        edu: ['WAEC', 'NECO', 'NABTEB', 'JAMB'],
      },
      meterTypes: ['prepaid', 'postpaid'],
      transactionStatuses: ['pending', 'success', 'failed'],
      webhookEventNames: ['transaction.completed', 'transaction.failed'],
      signatureVersion: 'v1',
      keyPrefixes: { secret: 'sk_', public: 'pk_' },
      webhookSecretPrefix: 'whsec_',
      minimumAmount: 0.01,
      maximumUrlLength: 2048,
      defaultQuantity: 1,
      rateLimits: {
        ip: { limit: 60, windowSeconds: 60 },
        apiKey: { limit: 100, windowSeconds: 60 },
        client: { limit: 100, windowSeconds: 60 },
        endpoint: undefined,
        purchases: { limit: 20, windowSeconds: 60 },
      },
      webhookRetryDelaysSeconds: [60, 300, 900, 1800, 3600, 21_600, 86_400],
      commission: { rate: 0.02, capNgn: 150 },
    });
  });
});

describe('a biller of another product', () => {
  it.each([
    ['airtime', 'dstv', 'DSTV belongs to tv: airtime has MTN, AIRTEL, GLO, 9MOBILE'],
    ['tv', 'Mtn', 'MTN belongs to airtime and data: tv has DSTV, GOTV, STARTIMES'],
    ['electricity', 'WAEC', 'WAEC belongs to edu: electricity has IKEDC, EKEDC, AEDC'],
    ['edu', 'Star Times', 'STARTIMES belongs to tv: edu has WAEC, NECO, NABTEB, JAMB'],
  ] as const)('for %s: %s', (product, biller, problem) => {
    expect(foreignBillerProblem(product, biller)).toBe(problem);
  });

  it('is one that is documented for others and not for this one', () => {
    for (const product of products) {
      for (const [owner, names] of Object.entries(billers)) {
        for (const name of names) {
          const isOwn = billers[product].some((own) => own === name);
          expect([owner, name, foreignBillerProblem(product, name) === undefined]).toEqual([
            owner,
            name,
            isOwn,
          ]);
        }
      }
      for (const name of ['T2', 'EEDC', '', undefined, 5])
        expect(foreignBillerProblem(product, name)).toBeUndefined();
    }
  });

  it('is told from one that nobody lists', () => {
    expect(['T2', 'eedc', 'DSTVV'].map(isUnlistedBiller)).toEqual([true, true, true]);
    expect(['9mobile', 'Star-Times', '', undefined].map(isUnlistedBiller)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

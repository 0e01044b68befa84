import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.js';
import * as vocabulary from '../../src/contract/vocabulary.js';

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
    const { webhookHeaders, ...others } = vocabulary;
    // The headers are compared with docs/service.md in test/docs/service.test.ts.
    expect(Object.keys(webhookHeaders)).toHaveLength(4);
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
    });
  });
});

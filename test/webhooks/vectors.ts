/** What every runtime must agree on. `signature` is HMAC-SHA256 over `{timestamp}.{body}`, made with OpenSSL. */
export interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: string;
  /** The raw body as text; `bytes` gives it in hex where it is not UTF-8. */
  readonly body: string;
  readonly bytes?: string;
  readonly signature: string;
}

const completed =
  '{"event":"transaction.completed","timestamp":"2026-01-31T09:30:00Z","signature_version":"v1","data":{"reference":"TXN-20260131-0001","status":"success","service_type":"VTU_AIRTIME","amount":500,"token":null,"completed_at":"2026-01-31T09:30:00Z","metadata":{}}}';

export const vectors: readonly Vector[] = [
  {
    name: 'a completed event',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '1769851800',
    body: completed,
    signature: '3b8b31ab61a23d41f68af2e67356791f2a2fee5a1a3bf1bd17d9c1f224aee724',
  },
  {
    name: 'a failed event',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '1769851801',
    body: '{"event":"transaction.failed","timestamp":"2026-01-31T09:30:00Z","signature_version":"v1","data":{"reference":"TXN-20260131-0001","status":"failed","service_type":"VTU_AIRTIME","amount":500,"token":null,"completed_at":"2026-01-31T09:30:00Z","metadata":{}}}',
    signature: '655b86143ff61b14d26258ab8218e11a59f0b408461af7e47f2d3bb76587bd9a',
  },
  {
    name: 'a secret longer than a block of the hash',
    secret: `whsec_${'k'.repeat(100)}`,
    timestamp: '1769851800',
    body: completed,
    signature: '8feedd84dd877dec84fe0c06cc7cf67a9b09bb54c57f3c13f835826256e64809',
  },
  {
    name: 'a secret beyond ASCII',
    secret: 'whsec_clé₦_0123456789ab',
    timestamp: '1769851800',
    body: completed,
    signature: '94a1b126a488f1a128a4cec2dacf2e8eccf85eb338c5a584405777fec01f5618',
  },
  {
    name: 'a body beyond ASCII',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '1769851800',
    body: '{"event":"transaction.completed","data":{"reference":"TXN-ñ-日本-🔌","metadata":{"naira":"₦"}}}',
    signature: '988d3ef822df06bdfa8efc871010232f3c88caaa28bf8b5879020871a79754b5',
  },
  {
    name: 'a body longer than many blocks',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '0',
    body: 'x'.repeat(1000),
    signature: '4ed3905b681382417bef34760b76afc39c2b71c9584562aed98d6c520b019920',
  },
  {
    name: 'an empty body',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '1769851800',
    body: '',
    signature: 'cd429a2b9682ca60ba45f4d5b1508403292d0c81dc830bbef666418e01395ddf',
  },
  {
    name: 'bytes that are not UTF-8',
    secret: 'whsec_test_4f9c1d7e8b2a',
    timestamp: '1769851800',
    body: '',
    bytes: '7b22ff00fe22',
    signature: '9d94d74a8fed1c95330aa4d14bab7e933761c3210936efc336247a17e9f9336e',
  },
];

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
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '1769851800',
    body: completed,
    signature: 'c417e3576ab731201b69db1f6d137e123570bacc3e3127dbf836f469cd742bc5',
  },
  {
    name: 'a failed event',
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '1769851801',
    body: '{"event":"transaction.failed","timestamp":"2026-01-31T09:30:00Z","signature_version":"v1","data":{"reference":"TXN-20260131-0001","status":"failed","service_type":"VTU_AIRTIME","amount":500,"token":null,"completed_at":"2026-01-31T09:30:00Z","metadata":{}}}',
    signature: '9a91041b000befe9481a0c74581d338b95a0e60acfb950c4587aca181e49e8ae',
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
    secret: 'whsec_clé₦',
    timestamp: '1769851800',
    body: completed,
    signature: '24264a27762217243f66012cbf6df596c76b58cb7610ce54e2b232cb851308ff',
  },
  {
    name: 'a body beyond ASCII',
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '1769851800',
    body: '{"event":"transaction.completed","data":{"reference":"TXN-ñ-日本-🔌","metadata":{"naira":"₦"}}}',
    signature: '301d21d51b3f21fb279799c133dfe8a65e87a4b6fd955422687e6773d20c0af1',
  },
  {
    name: 'a body longer than many blocks',
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '0',
    body: 'x'.repeat(1000),
    signature: '03a70f5c2dfccec283e63baf099d20ae0a88693a686022d0934d32e62bc60d7c',
  },
  {
    name: 'an empty body',
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '1769851800',
    body: '',
    signature: '5065da44bc48bb6decb006f02da4696ddcf71e6b7a26344348b1015d265982f5',
  },
  {
    name: 'bytes that are not UTF-8',
    secret: 'whsec_test_4f9c1d7e',
    timestamp: '1769851800',
    body: '',
    bytes: '7b22ff00fe22',
    signature: '8edb869deafcd331e0c9816019094e052296f1ec7d95c020feb169078e4bcd44',
  },
];

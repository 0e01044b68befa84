import type { OperationName } from '../../contract/operations.js';
import { products } from '../../contract/vocabulary.js';
import type { FaultOptions } from '../records/objects.js';

/** What the page offers to go wrong, by its label. Programs can have anything else through `sandbox.faults` or `POST /_sandbox/faults`. */

const proxyHtml = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

export const presets: Readonly<Record<string, FaultOptions>> = {
  'Response lost after processing': { when: 'after', connection: 'close' },
  '500 after processing': { when: 'after', status: 500 },
  'HTML page of a proxy after processing': { when: 'after', status: 502, body: proxyHtml },
  'Response cut off halfway': { cutBody: true },
  '503 PROVIDER_UNAVAILABLE': { status: 503, code: 'PROVIDER_UNAVAILABLE' },
  '503 QUEUE_UNAVAILABLE': { status: 503, code: 'QUEUE_UNAVAILABLE' },
  '429 RATE_LIMITED, Retry-After 2': { status: 429, retryAfter: 2 },
  'Slow: held for 3 seconds': { delay: '3s' },
  'Connection closed before processing': { connection: 'close' },
};

const purchases = products.map((product): OperationName => `${product}.purchase`);

/** The calls that are not purchases. */
const otherCalls = [
  'data.products',
  'tv.products',
  'edu.products',
  'tv.validate',
  'electricity.validate',
  'edu.validate',
  'transactions.status',
  'webhooks.subscribe',
] as const satisfies readonly OperationName[];

/** Which calls a fault can meet; undefined for any. */
export const targets: Readonly<Record<string, readonly OperationName[] | undefined>> = {
  'All purchases': purchases,
  'Any call': undefined,
  ...Object.fromEntries([...purchases, ...otherCalls].map((name) => [name, [name]])),
};

/** How often a fault strikes, as the control API spells it. */
export const repetitions: Readonly<Record<string, number | 'always'>> = {
  'Next one': 1,
  'Next three': 3,
  'Until turned off': 'always',
};

import type { OperationName } from '../../contract/operations.js';
import { products } from '../../contract/vocabulary.js';
import type { FaultOptions } from '../lab/fault-options.js';

/** What the page offers to go wrong. Programs can have anything else through `sandbox.faults` or `POST /_sandbox/faults`. */

interface Preset {
  readonly name: string;
  readonly label: string;
  readonly fault: FaultOptions;
}

const proxyHtml = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

export const presets: readonly Preset[] = [
  { name: 'lost', label: 'Response lost after processing', fault: { when: 'after', connection: 'close' } },
  { name: 'error', label: '500 after processing', fault: { when: 'after', status: 500 } },
  {
    name: 'proxy',
    label: 'HTML page of a proxy after processing',
    fault: { when: 'after', status: 502, body: proxyHtml },
  },
  { name: 'cut', label: 'Response cut off halfway', fault: { cutBody: true } },
  {
    name: 'provider',
    label: '503 PROVIDER_UNAVAILABLE',
    fault: { status: 503, code: 'PROVIDER_UNAVAILABLE' },
  },
  { name: 'queue', label: '503 QUEUE_UNAVAILABLE', fault: { status: 503, code: 'QUEUE_UNAVAILABLE' } },
  { name: 'limit', label: '429 RATE_LIMITED, Retry-After 2', fault: { status: 429, retryAfter: 2 } },
  { name: 'slow', label: 'Slow: held for 3 seconds', fault: { delay: '3s' } },
  { name: 'closed', label: 'Connection closed before processing', fault: { connection: 'close' } },
];

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

interface Target {
  readonly name: string;
  readonly label: string;
  /** Undefined for any call. */
  readonly operation?: readonly OperationName[];
}

/** Which calls a fault can meet. */
export const targets: readonly Target[] = [
  { name: 'purchases', label: 'All purchases', operation: purchases },
  { name: 'any', label: 'Any call' },
  ...[...purchases, ...otherCalls].map((name) => ({ name, label: name, operation: [name] })),
];

/** How often a fault strikes, as the control API spells it. */
export const repetitions: readonly { readonly label: string; readonly times: number | 'always' }[] = [
  { label: 'Next one', times: 1 },
  { label: 'Next three', times: 3 },
  { label: 'Until turned off', times: 'always' },
];

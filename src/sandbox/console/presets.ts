import { type OperationName, operations } from '../../contract/operations.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { assertOption } from '../../validation/options.js';
import type { FaultOptions } from '../service/fault-options.js';
import { isOperationName } from '../service/routes.js';

/** What the page offers to go wrong. Programs can have anything else through `sandbox.faults`. */

interface Preset {
  readonly label: string;
  readonly fault: FaultOptions;
}

const proxyHtml = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

/** By the name that the page sends. */
export const presets: ReadonlyMap<string, Preset> = new Map<string, Preset>([
  ['lost', { label: 'Answer lost after processing', fault: { when: 'after', connection: 'close' } }],
  ['error', { label: '500 after processing', fault: { when: 'after', status: 500 } }],
  [
    'proxy',
    {
      label: 'HTML page of a proxy after processing',
      fault: { when: 'after', status: 502, body: proxyHtml },
    },
  ],
  ['cut', { label: 'Answer cut off halfway', fault: { cutBody: true } }],
  ['provider', { label: '503 PROVIDER_UNAVAILABLE', fault: { status: 503, code: 'PROVIDER_UNAVAILABLE' } }],
  ['queue', { label: '503 QUEUE_UNAVAILABLE', fault: { status: 503, code: 'QUEUE_UNAVAILABLE' } }],
  ['busy', { label: '429 RATE_LIMITED, Retry-After 2', fault: { status: 429, retryAfter: 2 } }],
  ['slow', { label: 'Slow: held for 3 seconds', fault: { delay: '3s' } }],
  ['closed', { label: 'Connection closed before processing', fault: { connection: 'close' } }],
]);

const operationNames = Object.keys(operations).filter(isOperationName);
const purchases = operationNames.filter((name) => operations[name].kind === 'purchase');

interface Target {
  readonly label: string;
  readonly operation?: readonly OperationName[];
}

/** Which calls the page lets a fault meet, by name. */
export const targets: ReadonlyMap<string, Target> = new Map<string, Target>([
  ['purchases', { label: 'All purchases', operation: purchases }],
  ['any', { label: 'Any call' }],
  ...operationNames.map((name): [string, Target] => [name, { label: name, operation: [name] }]),
]);

/** How often, by name. */
export const repetitions: ReadonlyMap<string, { readonly label: string; readonly times: number }> = new Map([
  ['once', { label: 'Next one', times: 1 }],
  ['thrice', { label: 'Next three', times: 3 }],
  ['always', { label: 'Until turned off', times: Number.POSITIVE_INFINITY }],
]);

/** The fault that the page's form means. */
export function presetFault(form: Readonly<Record<string, unknown>>): FaultOptions {
  const preset = presets.get(String(form['preset']));
  const repetition = repetitions.get(String(form['times']));
  const target = targets.get(String(form['target']));
  assertOption(preset, 'preset', 'is none of the faults that this page offers');
  if (!repetition)
    throw new ConfigurationError('times', `must be one of ${[...repetitions.keys()].join(', ')}`);
  assertOption(target, 'target', "must be 'any', 'purchases' or a call's name");
  const { operation } = target;
  return { ...preset.fault, times: repetition.times, ...(operation && { operation }) };
}

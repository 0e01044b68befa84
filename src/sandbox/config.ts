import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/base.js';
import { readProperty } from '../utils/unknown.js';
import { parseOptions } from '../validation/options.js';
import { type ListenOptions, listenFields } from './http/listen-options.js';
import { faultSchema } from './lab/fault-options.js';
import { type SandboxOptions, sandboxFields } from './options.js';
import type { FaultOptions } from './records/objects.js';
import { webhookFields } from './schemas/client-options.js';
import { allOptional, expects, fieldsOf, jsonSchemaOf, listOf, text } from './schemas/fields.js';
import type { SandboxSubscriptionOptions } from './service/subscribe.js';
import type { Sandbox } from './types.js';

/** The content of a configuration file: docs/sandbox-config.schema.json is its JSON Schema. */
export interface SandboxConfig {
  /** For `createSandbox`. */
  readonly options: SandboxOptions;
  /** For `listen`. */
  readonly listen: ListenOptions;
  /** Faults that are active from the start. */
  readonly faults: readonly FaultOptions[];
  /** Receivers that are subscribed at the start. */
  readonly webhooks: readonly SandboxSubscriptionOptions[];
}

const webhookSchema = fieldsOf({ ...webhookFields, url: text('Where to deliver.') });

const schema = fieldsOf({
  ...sandboxFields,
  ...allOptional({
    $schema: text('The JSON Schema of this file.'),
    faults: listOf(faultSchema, 'must be a list of faults', 'Active from the start, and after each reset.'),
    webhooks: listOf(
      webhookSchema,
      'must be a list of subscriptions',
      'Subscribed at the start, and after each reset.',
    ),
    listen: fieldsOf(listenFields).check(z.describe('Where to listen.')),
  }),
});

/** The JSON Schema of a configuration file: docs/sandbox-config.schema.json. */
export const configSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of the billpay sandbox',
  ...jsonSchemaOf(schema),
});

/**
 * Reads a configuration file; `ConfigurationError` names what is wrong in it.
 *
 * @example
 * ```ts
 * const config = readConfigFile('sandbox.config.json');
 * const sandbox = createSandbox(config.options);
 * applyConfig(sandbox, config);
 * await sandbox.listen(config.listen);
 * ```
 */
export function readConfigFile(path: string): SandboxConfig {
  let content: string;
  try {
    content = process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
  } catch (error) {
    const code = readProperty(error, 'code');
    throw new ConfigurationError(
      'config',
      `${path} cannot be read (${code}): check the path and its permissions`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new ConfigurationError('config', `${path} is not JSON: ${readProperty(error, 'message')}`);
  }
  return readConfig(value);
}

const anyObject = z.record(z.string(), z.unknown(), expects('must be a JSON object'));

/** Reads the value of a configuration file. */
export function readConfig(value: unknown): SandboxConfig {
  parseOptions(anyObject, value, { owner: 'the sandbox', path: 'config' });
  const {
    $schema: _,
    listen = {},
    faults = [],
    webhooks = [],
    ...options
  } = parseOptions(schema, value, { owner: 'the sandbox' });
  // JSON has no undefined.
  return { options, listen, faults, webhooks } as SandboxConfig;
}

/**
 * Adds the faults and the subscriptions of a configuration to a sandbox that was created with its options, now and after each reset.
 *
 * @example
 * ```ts
 * const config = readConfigFile('sandbox.config.json');
 * applyConfig(createSandbox(config.options), config);
 * ```
 */
export function applyConfig(sandbox: Sandbox, { faults, webhooks }: SandboxConfig): void {
  for (const fault of faults) sandbox.faults.add(fault);
  const subscribed = webhooks.map((options) => ({
    ...options,
    secret: sandbox.webhooks.subscribe(options).secret,
  }));
  // A sandbox to which nobody listens makes no activities.
  if (faults.length + webhooks.length === 0) return;
  sandbox.onActivity(({ type }) => {
    if (type !== 'reset') return;
    for (const fault of faults) sandbox.faults.add(fault);
    // A receiver knows the secret of the beginning.
    for (const options of subscribed) sandbox.webhooks.subscribe(options);
  });
}

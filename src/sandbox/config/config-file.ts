import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { assertOption } from '../../validation/options.js';
import { optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { ListenOptions } from '../http/listen-options.js';
import { checkFault, type FaultOptions } from '../lab/fault-options.js';
import type { SandboxOptions } from '../options.js';
import type { Sandbox, SandboxSubscriptionOptions } from '../types.js';
import { configFields } from './config-schema.js';

/** The content of a configuration file: docs/sandbox-config.schema.json is its JSON Schema. */
export interface SandboxConfig {
  /** For `createSandbox`. Its values are checked there. */
  readonly options: SandboxOptions;
  /** For `listen`. Its values are checked there. */
  readonly listen: ListenOptions;
  /** Faults that are active from the start. */
  readonly faults: readonly FaultOptions[];
  /** Receivers that are subscribed at the start. */
  readonly webhooks: readonly SandboxSubscriptionOptions[];
}

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
  const { readFileSync } = process.getBuiltinModule('node:fs');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(
      'config',
      `cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(
      'config',
      `is not JSON: ${error instanceof Error ? error.message : error} (${path})`,
    );
  }
  return readConfig(value);
}

const schema = optionsOf(configFields);

/** Reads the value of a configuration file. */
export function readConfig(value: unknown): SandboxConfig {
  assertOption(isRecord(value), 'config', 'must be a JSON object');
  parseOptions(schema, value, { owner: 'the sandbox' });
  const { $schema: _, listen = {}, faults = [], webhooks = [], ...options } = value;
  return {
    // What was checked here is read again where it is used, by the same schemas.
    options,
    listen: listen as ListenOptions,
    faults: (faults as readonly unknown[]).map(checkFault),
    webhooks: webhooks as readonly SandboxSubscriptionOptions[],
  };
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

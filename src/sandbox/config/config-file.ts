import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { assertOption } from '../../validation/options.js';
import { type SandboxOptions, sandboxNames } from '../options.js';
import { type FaultOptions, faultFromJson } from '../service/fault-options.js';
import { checkNames } from '../service/fields.js';
import { type ListenOptions, listenNames } from '../transport/listen-options.js';
import type { Sandbox, SandboxSubscriptionOptions } from '../types.js';

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

const ownNames = ['$schema', 'listen', 'faults', 'webhooks'];

/** Reads the value of a configuration file. */
export function readConfig(value: unknown): SandboxConfig {
  assertOption(isRecord(value), 'config', 'must be a JSON object');
  const {
    $schema: _,
    listen,
    faults = [],
    webhooks = [],
    ...options
  } = checkNames('options', value, [...ownNames, ...sandboxNames]);
  return {
    options,
    listen: checkNames('listen', listen, listenNames),
    faults: listOf('faults', faults).map(faultFromJson),
    webhooks: listOf('webhooks', webhooks),
  };
}

function listOf(option: string, value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const records = entries.filter(isRecord);
  assertOption(records.length === entries.length, option, 'must be a list of objects');
  return records;
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
  sandbox.onActivity(({ type }) => {
    if (type !== 'reset') return;
    for (const fault of faults) sandbox.faults.add(fault);
    // A receiver knows the secret of the beginning.
    for (const options of subscribed) sandbox.webhooks.subscribe(options);
  });
}

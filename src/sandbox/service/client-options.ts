import { keyPrefixes } from '../../contract/vocabulary.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { assertOption } from '../../validation/options.js';
import { type ClientConditions, defaultClients, type SandboxClientOptions } from './accounts.js';
import { checkNames, type Fields, naira } from './fields.js';

const conditionNames: readonly (keyof ClientConditions)[] = ['verified', 'suspended', 'allowedIps'];
const clientNames: readonly (keyof SandboxClientOptions)[] = [
  'clientId',
  'balance',
  'secretKey',
  'publicKey',
  ...conditionNames,
];

export function readClients(value: unknown): readonly SandboxClientOptions[] {
  if (value === undefined) return defaultClients;
  assertOption(
    Array.isArray(value) && value.length !== 0,
    'clients',
    "must be a list of at least one client: [{ clientId: 'my-shop' }]",
  );
  const clients = value.map((entry: unknown, at) => readClient(`clients[${at}]`, entry));
  const taken = new Set<string>();
  for (const [at, client] of clients.entries()) {
    for (const name of ['clientId', 'secretKey', 'publicKey'] as const) {
      const own = client[name];
      if (own === undefined) continue;
      assertOption(
        !taken.has(own),
        `clients[${at}].${name}`,
        'is taken by another client; give each its own',
      );
      taken.add(own);
    }
  }
  return clients;
}

function readClient(option: string, entry: unknown): SandboxClientOptions {
  const given = checkNames(option, entry ?? null, clientNames);
  const { clientId, balance, secretKey, publicKey } = given;
  assertOption(
    typeof clientId === 'string' && clientId.trim() !== '',
    `${option}.clientId`,
    "must be a non-empty string, such as 'my-shop'",
  );
  return {
    clientId,
    ...(balance === undefined ? {} : { balance: naira(`${option}.balance`, balance) }),
    ...(secretKey === undefined
      ? {}
      : { secretKey: readKey(`${option}.secretKey`, secretKey, keyPrefixes.secret) }),
    ...(publicKey === undefined
      ? {}
      : { publicKey: readKey(`${option}.publicKey`, publicKey, keyPrefixes.public) }),
    ...readConditions(option, given),
  };
}

function readKey(option: string, value: unknown, prefix: string): string {
  if (typeof value === 'string' && value.startsWith(prefix) && /^\S+$/.test(value)) return value;
  throw new ConfigurationError(option, `must be a string without blanks that begins with ${prefix}`);
}

/** Checks the conditions among a client's fields. */
function readConditions(option: string, given: Fields): ClientConditions {
  const flag = (name: 'verified' | 'suspended') => {
    const value = given[name];
    if (value === undefined) return {};
    assertOption(typeof value === 'boolean', `${option}.${name}`, 'must be true or false');
    return { [name]: value };
  };
  return { ...flag('verified'), ...flag('suspended'), ...readAddresses(option, given['allowedIps']) };
}

function readAddresses(option: string, value: unknown): Pick<ClientConditions, 'allowedIps'> {
  if (value === undefined) return {};
  const addresses: unknown[] = Array.isArray(value) ? value : [undefined];
  const allowedIps = addresses.filter((address): address is string => typeof address === 'string');
  if (allowedIps.length === addresses.length) return { allowedIps };
  throw new ConfigurationError(
    `${option}.allowedIps`,
    "must be a list of addresses, such as ['203.0.113.10']",
  );
}

/** Checks conditions given on their own. */
export const checkConditions = (conditions: unknown): ClientConditions =>
  readConditions('conditions', checkNames('conditions', conditions, conditionNames));

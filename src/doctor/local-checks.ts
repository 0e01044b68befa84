import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyKind } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import {
  baseUrl as address,
  clientId as identifier,
  apiKey as key,
  keyKindOf,
} from '../validation/credentials.js';
import { optionsOf, parseOptions } from '../validation/parse-options.js';
import { type Finding, findingsOf } from './finding.js';
import type { DoctorSettings } from './settings.js';

/** The account to examine the service with. */
export interface Account {
  readonly apiKey: string;
  readonly keyKind: KeyKind;
  readonly clientId: string;
}

const doctor = { owner: 'billpay doctor' };

const oldestNode = [20, 19] as const;

/** The version of Node. */
export function checkNode(version: string): Finding {
  const { ok, failed } = findingsOf('node');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const needed = `${oldestNode.join('.')} or later`;
  return isSupported
    ? ok(`Node ${version}`)
    : failed(`Node ${version} is too old`, `install Node ${needed}; an LTS version is best`);
}

/** Whether the variables are set that every client reads. */
export function checkEnvironment({ apiKey, clientId, baseUrl, folder, envFile }: DoctorSettings): Finding {
  const { ok, failed } = findingsOf('environment');
  const variables = { BILLPAY_API_KEY: apiKey, BILLPAY_CLIENT_ID: clientId, BILLPAY_BASE_URL: baseUrl };
  const missing = Object.entries(variables).flatMap(([name, value]) => (value ? [] : [name]));
  return missing.length === 0
    ? ok(`${Object.keys(variables).join(', ')} are set`)
    : failed(
        `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`,
        envFile === undefined && existsSync(join(folder, '.env'))
          ? './.env was found, and is not read by itself: run npx billpay doctor --env .env'
          : 'set what is missing, or name the file that sets it with --env',
      );
}

/** The finding of a check that throws a `ConfigurationError`, whose message holds the remedy after a colon. */
function checked<T>(
  check: string,
  read: () => T,
  describe: (value: T) => Finding,
): { readonly finding: Finding; readonly value: T | undefined } {
  try {
    const value = read();
    return { finding: describe(value), value };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', ...remedy] = error.message.slice(error.option.length + 2).split(': ');
    const finding = findingsOf(check).failed(
      problem,
      remedy.join(': ') || 'see the documentation of this option',
    );
    return { finding, value: undefined };
  }
}

/** The form of the key, and what it may call. */
export function checkKey(apiKey: string) {
  const { ok, failed } = findingsOf('api-key');
  return checked(
    'api-key',
    () => {
      const checked = parseOptions(optionsOf({ apiKey: key() }), { apiKey }, doctor);
      return { ...checked, keyKind: keyKindOf(checked.apiKey) ?? 'public' };
    },
    ({ keyKind }) =>
      keyKind === 'secret'
        ? ok('a secret key (sk_…), which may make every call')
        : failed(
            'a public key (pk_…), which cannot sell: it may only call catalogues and validate calls',
            'use a secret key (sk_…)',
          ),
  );
}

/** The form of the account identifier. */
export const checkClientId = (clientId: string) =>
  checked(
    'client-id',
    () => parseOptions(optionsOf({ clientId: identifier() }), { clientId }, doctor).clientId,
    () => findingsOf('client-id').ok('has the form of an account identifier'),
  );

/** The form of the base address, its version segment included. */
export function checkBaseUrl(baseUrl: string) {
  const { ok, warning, failed } = findingsOf('base-url');
  return checked(
    'base-url',
    () => parseOptions(optionsOf({ baseUrl: address(false) }), { baseUrl }, doctor).baseUrl,
    (url) => {
      if (!/\/v\d+$/.test(new URL(url).pathname)) {
        return failed(`${url} has no version segment`, 'use an address that ends in /api/v1');
      }
      return new URL(url).pathname.endsWith('/api/v1')
        ? ok(url)
        : warning(
            `${url} does not end in /api/v1`,
            'use the current prefix /api/v1: the older /v1 is deprecated and has no catalogues',
          );
    },
  );
}

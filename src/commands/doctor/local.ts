import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BillPay, ConfigurationError } from '../../index.js';
import { keyKindOf } from '../../validation/credentials.js';
import { version } from '../../version.js';
import { variable } from '../environment.js';
import type { CommandProcess } from '../terminal.js';
import { type Answer, failed, ok } from './finding.js';

/** How a client reaches the service. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
}

const variables = {
  apiKey: 'BILLPAY_API_KEY',
  clientId: 'BILLPAY_CLIENT_ID',
  baseUrl: 'BILLPAY_BASE_URL',
} as const satisfies Record<keyof Credentials, string>;

/** Values of the right form, to check one option of a client at a time. */
const samples: Credentials = {
  apiKey: 'sk_sample',
  clientId: 'sample',
  baseUrl: 'https://service.example/api/v1',
};

/** Whether Node and the package are supported. */
export function checkNode({ versions, env }: Pick<CommandProcess, 'versions' | 'env'>): Answer {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return failed(`Node ${versions.node} is too old for billpay ${version}: install Node 20.19 or later`);
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    return failed(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns the verification of certificates off, so the key goes to whoever answers: remove it; behind a proxy that inspects TLS, name its certificate in NODE_EXTRA_CA_CERTS',
    );
  return ok(`billpay ${version} on Node ${versions.node}`);
}

/** Whether the credentials are present and of the right kind: the problems, or the credentials. */
export function checkCredentials(
  { env, cwd }: Pick<CommandProcess, 'env' | 'cwd'>,
  envFile: string | undefined,
): { readonly answers: readonly Answer[]; readonly credentials?: Credentials } {
  const names = Object.keys(variables) as (keyof Credentials)[];
  const given = Object.fromEntries(names.map((name) => [name, variable(env, variables[name])]));
  const missing = names.filter((name) => given[name] === undefined).map((name) => variables[name]);
  const hint =
    envFile === undefined && existsSync(join(cwd(), '.env'))
      ? './.env was found, and is not read by itself: run npx billpay doctor --env .env'
      : 'set what is missing, or name the file that sets it with --env';
  const problems = [
    ...(missing.length > 0
      ? [failed(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set: ${hint}`)]
      : []),
    ...names.flatMap((name) => problemOf(name, given[name]) ?? []),
  ];
  if (problems.length > 0) return { answers: problems };
  const credentials = { ...samples, ...given };
  return {
    answers: [ok(`a secret key for the client ${credentials.clientId} at ${credentials.baseUrl}`)],
    credentials,
  };
}

/** What is wrong with the form of one credential, as a client says it. */
function problemOf(name: keyof Credentials, value: string | undefined): Answer | undefined {
  if (value === undefined) return undefined;
  try {
    new BillPay({ ...samples, [name]: value, logLevel: 'off' }).checkConfiguration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return failed(error.message.replace(/^\w+:/, variables[name]));
  }
  return name === 'apiKey' && keyKindOf(value) === 'public'
    ? failed(`${variables.apiKey} is a public key (pk_…), which cannot buy: use the secret key (sk_…)`)
    : undefined;
}

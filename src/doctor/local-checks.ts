import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { ConfigurationError } from '../errors/configuration-error.js';
import { apiKey, baseUrl, clientId, keyKindOf } from '../validation/credentials.js';
import { optionsOf, parseOptions } from '../validation/parse-options.js';
import { failed, type Outcome, ok, warning } from './finding.js';

const oldestNode = [20, 19] as const;

export function checkNode(version: string): Outcome {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const needed = `${oldestNode.join('.')} or later`;
  return isSupported
    ? ok(`Node ${version}`)
    : failed(`Node ${version} is too old`, `install Node ${needed}; an LTS version is best`);
}

/** Whether the variables are set that every client reads, and what is wrong with the form of each. */
export function checkEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { folder, envFile }: { readonly folder: string; readonly envFile: string | undefined },
): Outcome {
  const names = ['BILLPAY_API_KEY', 'BILLPAY_CLIENT_ID', 'BILLPAY_BASE_URL'];
  const missing = names.filter((name) => !env[name]);
  if (missing.length === 0) return ok(`${names.join(', ')} are set`);
  return failed(
    `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`,
    envFile === undefined && existsSync(join(folder, '.env'))
      ? './.env was found, and is not read by itself: run npx billpay doctor --env .env'
      : 'set what is missing, or name the file that sets it with --env',
  );
}

/** Reads a credential as a client does. A `ConfigurationError` becomes the outcome: its message holds the remedy after a colon. */
function checked(
  option: string,
  schema: z.ZodMiniType<string>,
  text: string,
  judge: (value: string) => Outcome,
): { readonly outcome: Outcome; readonly value?: string } {
  try {
    const { [option]: value = '' } = parseOptions(
      optionsOf({ [option]: schema }),
      { [option]: text },
      { owner: 'billpay doctor' },
    );
    return { outcome: judge(value), value };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', ...remedy] = error.message.slice(option.length + 2).split(': ');
    return { outcome: failed(problem, remedy.join(': ') || 'see the documentation of this option') };
  }
}

/** The form of the key, and what it may call. */
export const checkKey = (text: string) =>
  checked('apiKey', apiKey(), text, (key) =>
    keyKindOf(key) === 'secret'
      ? ok('a secret key (sk_…), which may make every call')
      : failed(
          'a public key (pk_…), which cannot sell: it may only call catalogues and validate calls',
          'use a secret key (sk_…)',
        ),
  );

export const checkClientId = (text: string) =>
  checked('clientId', clientId(), text, () => ok('has the form of an account identifier'));

/** The form of the base address, its version segment included. */
export const checkBaseUrl = (text: string) =>
  checked('baseUrl', baseUrl(false), text, (url) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith('/api/v1')) return ok(url);
    return /\/v\d+$/.test(pathname)
      ? warning(
          `${url} does not end in /api/v1`,
          'use the current prefix /api/v1: the older /v1 is deprecated and has no catalogues',
        )
      : failed(`${url} has no version segment`, 'use an address that ends in /api/v1');
  });

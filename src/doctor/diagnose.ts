import { createRedactor } from '../redaction/redactor.js';
import type { Finding } from './finding.js';
import { checkBaseUrl, checkClientId, checkEnvironment, checkKey, checkNode } from './local-checks.js';
import { checkDns, checkTls } from './network-checks.js';
import { checkService } from './service-checks.js';
import { checkPostgres, checkRedis } from './store-checks.js';
import { checkWebhook } from './webhook-checks.js';

export interface DoctorSettings {
  /** The variables of the environment, with the values of the flags that replace them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of Node, without its `v`. */
  readonly nodeVersion: string;
  /** The folder of the application, whose installed `pg`, `ioredis` or `redis` are used. */
  readonly folder: string;
  /** The file of environment variables that was named with --env. */
  readonly envFile: string | undefined;
}

/** Runs every check, each as soon as those that it builds on have passed. No finding contains a secret. */
export async function* diagnose(settings: DoctorSettings): AsyncGenerator<Finding> {
  const redactor = createRedactor(secretsOf(settings));
  for await (const { message, remedy, ...finding } of findings(settings)) {
    yield {
      ...finding,
      message: redactor.known(message),
      ...(remedy !== undefined && { remedy: redactor.known(remedy) }),
    };
  }
}

async function* findings(settings: DoctorSettings): AsyncGenerator<Finding> {
  const { env, nodeVersion, folder } = settings;
  const { BILLPAY_API_KEY: apiKey, BILLPAY_CLIENT_ID: clientId, BILLPAY_BASE_URL: baseUrl } = env;
  yield { check: 'node', ...checkNode(nodeVersion) };
  yield { check: 'environment', ...checkEnvironment(env, settings) };
  const key = apiKey ? checkKey(apiKey) : undefined;
  const account = clientId ? checkClientId(clientId) : undefined;
  const address = baseUrl ? checkBaseUrl(baseUrl) : undefined;
  if (key) yield { check: 'api-key', ...key.outcome };
  if (account) yield { check: 'client-id', ...account.outcome };
  if (address) yield { check: 'base-url', ...address.outcome };
  if (address?.value !== undefined) {
    const isReached = yield* checkAddress(new URL(address.value));
    if (isReached && key?.value !== undefined && account?.value !== undefined) {
      yield* checkService({ baseUrl: address.value, apiKey: key.value, clientId: account.value });
    }
  }
  yield* checkWebhook(env['BILLPAY_WEBHOOK_URL'], env['BILLPAY_WEBHOOK_SECRET']);
  yield* checkPostgres(env['BILLPAY_DATABASE_URL'], folder);
  yield* checkRedis(env['BILLPAY_REDIS_URL'], folder);
}

/** Examines the way to the service; returns whether a request can be sent. */
async function* checkAddress(address: URL): AsyncGenerator<Finding, boolean> {
  const dns = await checkDns(address);
  yield { check: 'dns', ...dns };
  if (dns.status === 'failed') return false;
  const tls = await checkTls(address);
  yield { check: 'tls', ...tls };
  return tls.status !== 'failed';
}

/** Every value that must never be printed. */
function secretsOf({ env }: DoctorSettings): string[] {
  const urls = [env['BILLPAY_DATABASE_URL'], env['BILLPAY_REDIS_URL']].filter((url) => url !== undefined);
  const all = [env['BILLPAY_API_KEY'], env['BILLPAY_WEBHOOK_SECRET'], ...urls, ...urls.flatMap(passwordsIn)];
  return all.filter((secret) => secret !== undefined && secret.trim() !== '') as string[];
}

/** The password in a URL, as it is written and as it is meant. */
function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

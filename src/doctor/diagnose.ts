import { createRedactor } from '../redaction/redactor.js';
import type { Finding } from './finding.js';
import { checkBaseUrl, checkClientId, checkEnvironment, checkKey, checkNode } from './local-checks.js';
import { checkDns, checkTls } from './network-checks.js';
import { checkPostgres } from './postgres-checks.js';
import { checkRedis } from './redis-checks.js';
import { checkService } from './service-checks.js';
import { type DoctorSettings, secretsOf } from './settings.js';
import { checkWebhook } from './webhook-checks.js';

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
  yield checkNode(settings.nodeVersion);
  yield checkEnvironment(settings);
  const { apiKey, clientId, baseUrl, folder } = settings;
  const key = apiKey ? checkKey(apiKey) : undefined;
  const account = clientId ? checkClientId(clientId) : undefined;
  const address = baseUrl ? checkBaseUrl(baseUrl) : undefined;
  for (const checked of [key, account, address]) {
    if (checked) yield checked.finding;
  }
  if (address?.value !== undefined) {
    const reached = yield* checkAddress(new URL(address.value));
    if (reached && key?.value && account?.value !== undefined) {
      yield* checkService(address.value, { ...key.value, clientId: account.value });
    }
  }
  yield* checkWebhook(settings.webhookUrl, settings.webhookSecret);
  yield* checkPostgres(settings.databaseUrl, folder);
  yield* checkRedis(settings.redisUrl, folder);
}

/** Examines the way to the service; returns whether a request can be sent. */
async function* checkAddress(address: URL): AsyncGenerator<Finding, boolean> {
  const dns = await checkDns(address);
  yield dns;
  if (dns.status === 'failed') return false;
  const tls = await checkTls(address);
  yield tls;
  return tls.status !== 'failed';
}

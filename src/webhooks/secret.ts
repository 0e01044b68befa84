import { webhookSecretPrefix } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { WebhookVerificationReason } from '../errors/webhook-errors.js';

/**
 * One webhook secret, or several while one replaces the other. `undefined` compiles, so that
 * `secret: process.env.BILLPAY_WEBHOOK_SECRET` does, and is refused at run time.
 */
export type WebhookSecret = string | undefined | readonly (string | undefined)[];

/** What is wrong with a webhook secret. */
export interface SecretProblem {
  reason: Extract<WebhookVerificationReason, 'secret_is_api_key' | 'secret_malformed'>;
  message: string;
}

/** The service's own secrets are longer. Anything shorter can be guessed, or is a placeholder that was never replaced. */
const minSecretLength = 16;

const remedy =
  'pass the whsec_ secret that webhooks.subscribe returned, usually kept in the environment variable BILLPAY_WEBHOOK_SECRET';

const malformed = (what: string): SecretProblem => ({
  reason: 'secret_malformed',
  message: `the webhook secret ${what}: ${remedy}`,
});

/** What is wrong with a secret, in words that do not show it; undefined when nothing is. */
export function secretProblem(secret: unknown): SecretProblem | undefined {
  if (secret === undefined || secret === null) return malformed(`is ${secret}`);
  if (typeof secret !== 'string') return malformed('is not a string');
  if (secret === '') return malformed('is empty');
  if (secret === 'undefined' || secret === 'null') {
    return malformed(
      `is the text "${secret}", which is what a missing value becomes when it is converted to text`,
    );
  }
  if (/^\s*[sp]k_/.test(secret)) {
    return { reason: 'secret_is_api_key', message: `the webhook secret is an API key: ${remedy}` };
  }
  if (/\s/.test(secret)) return malformed('contains whitespace or a line break');
  if (!secret.startsWith(webhookSecretPrefix)) return malformed(`does not begin with ${webhookSecretPrefix}`);
  const length = secret.length - webhookSecretPrefix.length;
  if (length < minSecretLength) {
    return malformed(
      `has only ${length} characters after ${webhookSecretPrefix}, and at least ${minSecretLength} are needed`,
    );
  }
  return undefined;
}

/** Throws a `ConfigurationError` unless the value is one webhook secret. */
export function assertSecret(secret: unknown): asserts secret is string {
  const problem = secretProblem(secret);
  if (problem) throw new ConfigurationError('secret', problem.message);
}

/** One secret or several as a list. Only for secrets without a `secretsProblem`. */
export const asList = (secret: WebhookSecret): readonly string[] =>
  (typeof secret === 'object' ? secret : [secret]).filter((one) => one !== undefined);

/** The first problem among several secrets. An empty list is a problem too. */
export function secretsProblem(secrets: unknown): SecretProblem | undefined {
  if (!Array.isArray(secrets)) return secretProblem(secrets);
  if (secrets.length === 0) {
    return { reason: 'secret_malformed', message: `the list of webhook secrets is empty: ${remedy}` };
  }
  for (const secret of secrets) {
    const problem = secretProblem(secret);
    if (problem) return problem;
  }
  return undefined;
}

import { webhookSecretPrefix } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/base.js';
import type { WebhookVerificationReason } from '../errors/webhook-errors.js';

/**
 * One webhook secret, or several while one replaces the other. `undefined` compiles, so that
 * `secret: process.env.BILLPAY_WEBHOOK_SECRET` does. Where it is missing at run time, `verifyWebhook` throws and a receiver
 * responds with 500. Of several, those that are undefined or empty are left out: the old one is, once the change is over.
 */
export type WebhookSecret = string | undefined | readonly (string | undefined)[];

/** What is wrong with a webhook secret. */
export interface SecretProblem {
  reason: Extract<WebhookVerificationReason, 'secret_is_api_key' | 'secret_malformed'>;
  message: string;
  /** Whether there is no secret at all, as where a module is loaded without the environment's secrets. */
  isMissing: boolean;
}

/** The service's own secrets are longer. Anything shorter can be guessed, or is a placeholder that was never replaced. */
const minSecretLength = 16;

const remedy =
  'pass the whsec_ secret that webhooks.subscribe returned, usually kept in the environment variable BILLPAY_WEBHOOK_SECRET';

const malformed = (what: string, isMissing = false): SecretProblem => ({
  reason: 'secret_malformed',
  message: `the webhook secret ${what}: ${remedy}`,
  isMissing,
});

/** What is wrong with a secret, in words that do not show it; undefined when nothing is. */
export function secretProblem(secret: unknown): SecretProblem | undefined {
  if (secret === undefined || secret === null) return malformed(`is ${secret}`, true);
  if (typeof secret !== 'string') return malformed('is not a string');
  if (secret === '') return malformed('is empty', true);
  if (secret === 'undefined' || secret === 'null') {
    return malformed(
      `is the text "${secret}", which is what a missing value becomes when it is converted to text`,
    );
  }
  if (/^\s*[sp]k_/.test(secret)) {
    const message = `the webhook secret is an API key: ${remedy}`;
    return { reason: 'secret_is_api_key', message, isMissing: false };
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

/** One secret or several as a list, without those that are missing. */
export const secretsOf = (secret: WebhookSecret): readonly string[] =>
  (Array.isArray(secret) ? secret : [secret]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );

/** The first wrong one among several secrets. Missing ones are a problem where there is no other. */
export function secretsProblem(secrets: unknown): SecretProblem | undefined {
  if (!Array.isArray(secrets)) return secretProblem(secrets);
  if (secrets.length === 0) {
    const message = `the list of webhook secrets is empty: ${remedy}`;
    return { reason: 'secret_malformed', message, isMissing: true };
  }
  const problems = secrets.map(secretProblem);
  const wrong = problems.find((problem) => problem && !problem.isMissing);
  return problems.includes(undefined) ? wrong : (wrong ?? problems[0]);
}

import type { WebhookVerificationReason } from '../errors/webhook-errors.js';

/** What is wrong with a webhook secret. */
export interface SecretProblem {
  reason: Extract<WebhookVerificationReason, 'secret_is_api_key' | 'secret_malformed'>;
  message: string;
}

const remedy = 'give the whsec_ secret that webhooks.subscribe returned';

/** What is wrong with a secret, in words that do not show it; undefined when nothing is. */
export function secretProblem(secret: unknown): SecretProblem | undefined {
  if (typeof secret !== 'string' || secret === '') {
    const what = secret === '' ? 'empty' : 'not a string';
    return { reason: 'secret_malformed', message: `the webhook secret is ${what}: ${remedy}` };
  }
  if (/^\s*[sp]k_/.test(secret)) {
    return { reason: 'secret_is_api_key', message: `the webhook secret is an API key: ${remedy}` };
  }
  if (/\s/.test(secret)) {
    const message = `the webhook secret has a blank or line break in it: trim it, or ${remedy}`;
    return { reason: 'secret_malformed', message };
  }
  return undefined;
}

/** One secret or several as a list. */
export const asList = (secret: string | readonly string[]): readonly string[] =>
  typeof secret === 'string' ? [secret] : secret;

/** The first problem among several secrets; none at all is a problem too. */
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

import * as z from 'zod/mini';
import { keyPrefixes, webhookSecretPrefix } from '../../contract/vocabulary.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import type { ClientConditions, SandboxClientOptions } from '../rules/clients.js';
import { allOptional, kind, list, naira, text, textList, withoutUndefined, yesNo } from './kinds.js';

/** A key; it is never shown in a message. */
const key = (prefix: string) =>
  kind<string>(
    (value) => typeof value === 'string' && value.startsWith(prefix) && /^\S+$/.test(value),
    `must be a string without blanks that begins with ${prefix}`,
    { type: 'string', pattern: `^${prefix}\\S+$` },
  );

const isText = (value: unknown): boolean => typeof value === 'string';

/** A client's standing. */
export const conditionFields = {
  verified: yesNo('False: purchases get 403 ACCOUNT_RESTRICTED.'),
  suspended: yesNo('True: every call gets 401.'),
  allowedIps: textList(
    "must be a list of addresses, such as ['203.0.113.10']",
    isText,
    'Addresses that its keys work from; with none, any.',
  ),
} satisfies OptionShape<ClientConditions>;

const fields = {
  clientId: kind<string>(
    (value) => typeof value === 'string' && value.trim() !== '',
    "must be a non-empty string, such as 'my-shop'",
    { type: 'string', minLength: 1 },
  ),
  ...allOptional({
    balance: naira('What its wallet starts with, in NGN.'),
    secretKey: key(keyPrefixes.secret),
    publicKey: key(keyPrefixes.public),
    ...conditionFields,
  }),
} satisfies OptionShape<SandboxClientOptions>;

const isTaken = 'is taken by another client; give each its own';

/** The list of clients; no two may have the same id or key. */
export const clientsSchema = list(
  optionsOf(fields),
  "must be a list of at least one client: [{ clientId: 'my-shop' }]",
  { minItems: 1, description: 'The first is the default client.' },
  1,
).check(
  z.check(({ value, issues }) => {
    const taken = new Set<string>();
    for (const [at, client] of value.entries()) {
      for (const name of ['clientId', 'secretKey', 'publicKey'] as const) {
        const own = client[name];
        if (own !== undefined && taken.has(own)) {
          issues.push({ code: 'custom', message: isTaken, path: [at, name], input: value });
        }
        if (own !== undefined) taken.add(own);
      }
    }
  }),
);

const conditionsSchema = optionsOf(allOptional(conditionFields));

/** Checks conditions given on their own. */
export const checkConditions = (conditions: unknown): ClientConditions =>
  withoutUndefined(
    parseOptions(conditionsSchema, conditions ?? null, { owner: 'conditions', path: 'conditions' }),
  );

/** A receiver that is subscribed, as a configuration file describes it; `subscribe` checks it. */
export const webhookFields = {
  url: text(),
  secret: kind<string>(
    (value) => typeof value === 'string' && value.startsWith(webhookSecretPrefix) && /^\S{22,}$/.test(value),
    `must be ${webhookSecretPrefix} followed by at least 16 characters without whitespace`,
    { type: 'string', pattern: '^whsec_\\S{16,}$' },
  ),
  enabled: yesNo(),
  clientId: text('Whose webhooks; default: those of the first client.'),
};

/** The schema of such a receiver. */
export const webhookSchema = optionsOf({ ...allOptional(webhookFields), url: webhookFields.url });

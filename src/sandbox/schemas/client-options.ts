import * as z from 'zod/mini';
import { keyPrefixes, webhookSecretPrefix } from '../../contract/vocabulary.js';
import { parseOptions } from '../../validation/options.js';
import { allOptional, expects, fieldsOf, listOf, naira, text, withoutUndefined, yesNo } from './fields.js';

const matching = (pattern: RegExp, problem: string, description: string) =>
  z.string(expects(problem)).check(z.regex(pattern, expects(problem)), z.describe(description));

/** A key; it is never shown in a message. */
const key = (prefix: string, description: string) =>
  matching(
    new RegExp(`^${prefix}\\S+$`),
    `must be a string without blanks that begins with ${prefix}`,
    description,
  );

/** A client's standing. */
const conditionFields = {
  verified: yesNo('False: purchases get 403 ACCOUNT_RESTRICTED.'),
  suspended: yesNo('True: every call gets 401.'),
  allowedIps: listOf(
    text('An address.'),
    "must be a list of addresses, such as ['203.0.113.10']",
    'Addresses that its keys work from; with none, any.',
  ),
};

/** A client. */
const clientFields = {
  clientId: matching(/\S/, "must be a non-empty string, such as 'my-shop'", 'The account identifier.'),
  ...allOptional({
    balance: naira('What its wallet starts with, in NGN.'),
    secretKey: key(keyPrefixes.secret, 'Its secret key.'),
    publicKey: key(keyPrefixes.public, 'Its public key.'),
    ...conditionFields,
  }),
};

/** The list of clients; no two may have the same id or key. */
export const clientsSchema = listOf(
  fieldsOf(clientFields),
  "must be a list of at least one client: [{ clientId: 'my-shop' }]",
  'Its clients; the first is the default one.',
  1,
).check(
  z.check(({ value, issues }) => {
    const taken = new Set<string>();
    for (const [at, client] of value.entries()) {
      for (const name of ['clientId', 'secretKey', 'publicKey'] as const) {
        const own = client[name];
        if (own !== undefined && taken.has(own)) {
          const message = 'is taken by another client; give each its own';
          issues.push({ code: 'custom', message, path: [at, name], input: value });
        }
        if (own !== undefined) taken.add(own);
      }
    }
  }),
);

const conditionsSchema = fieldsOf(allOptional(conditionFields));

/** Checks conditions given on their own. */
export const checkConditions = (conditions: unknown) =>
  withoutUndefined(
    parseOptions(conditionsSchema, conditions ?? null, { owner: 'conditions', path: 'conditions' }),
  );

const alone = fieldsOf({ amount: naira('NGN.') });

/** An amount of money that a method was given. */
export const checkedAmount = (amount: unknown): number =>
  parseOptions(alone, { amount }, { owner: 'the sandbox' }).amount;

/** A receiver, as a configuration file or a request describes it. */
export const webhookFields = allOptional({
  url: text('Where to deliver: https, or http on a loopback host or one that is allowed.'),
  secret: matching(
    new RegExp(`^${webhookSecretPrefix}\\S{16,}$`),
    `must be ${webhookSecretPrefix} followed by at least 16 characters without whitespace`,
    'The signing secret.',
  ),
  enabled: yesNo('Whether deliveries start at once.'),
  clientId: text('Whose webhooks; default: those of the first client.'),
});

import { componentSchemas } from '../control/openapi-schemas.js';
import { type JsonSchema, objectOf, oneOf, schemas } from '../control/route.js';

const { text, flag, naira } = schemas;

const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

const duration: JsonSchema = {
  type: ['string', 'number'],
  description: 'Such as 250ms, 3s, 5m, 6h, or ms as a number.',
};

const strict = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({
  ...objectOf(properties, required),
  additionalProperties: false,
});

const limit: JsonSchema = {
  anyOf: [{ type: 'integer', minimum: 1 }, { const: false }],
  description: 'Requests per 60 seconds; false for no limit.',
};

const product = strict({ product_code: text, name: text, amount: naira }, ['product_code', 'name', 'amount']);

const family = described(
  { type: 'object', additionalProperties: { type: 'array', items: product } },
  'Products by biller; replaces the built-in list of this family.',
);

const client = strict(
  {
    clientId: text,
    balance: described(naira, 'What its wallet starts with, in NGN.'),
    verified: described(flag, 'False: purchases get 403 ACCOUNT_RESTRICTED.'),
    suspended: described(flag, 'True: every call gets 401.'),
    allowedIps: {
      type: 'array',
      items: text,
      description: 'Addresses that its keys work from; with none, any.',
    },
    secretKey: { type: 'string', pattern: '^sk_\\S+$' },
    publicKey: { type: 'string', pattern: '^pk_\\S+$' },
  },
  ['clientId'],
);

const webhook = strict(
  {
    url: text,
    secret: { type: 'string', pattern: '^whsec_\\S{16,}$' },
    enabled: flag,
    clientId: described(text, 'Whose webhooks; default: those of the first client.'),
  },
  ['url'],
);

/** The JSON Schema of a configuration file. */
export const configSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of the billpay sandbox',
  ...strict({
    $schema: text,
    clients: { type: 'array', minItems: 1, items: client, description: 'The first is the default client.' },
    catalogue: strict({ data: family, tv: family, edu: family }),
    balance: described(naira, 'What each wallet starts with, in NGN; default 100000.'),
    settleAfter: {
      ...duration,
      description: "How long until a purchase settles by itself, or 'manual'; default 1s.",
    },
    rateLimits: {
      anyOf: [flag, strict({ ip: limit, apiKey: limit, client: limit, endpoint: limit, purchases: limit })],
      description: 'True for the documented limits; default false.',
    },
    clock: oneOf('real', 'manual'),
    startAt: {
      type: ['string', 'number'],
      description: 'Where a manual clock begins: 2026-01-31T09:30:00Z, or ms since 1970.',
    },
    seed: { type: ['string', 'number'], description: 'Repeats keys, secrets, names and tokens.' },
    references: described(
      oneOf('seeded', 'unique'),
      'unique: references and delivery ids are new in every run.',
    ),
    state: described(text, 'The file that keeps everything over restarts.'),
    webhookTimeout: { ...duration, description: 'How long a webhook receiver may take; default 10s.' },
    webhookSends: { enum: [7, 8], description: 'How often a webhook is sent in all; default 8.' },
    allowWebhookHosts: {
      type: 'array',
      items: text,
      description: 'Hosts that webhooks may go to over http.',
    },
    faults: {
      type: 'array',
      items: componentSchemas['FaultOptions'] ?? {},
      description: 'Active from the start.',
    },
    webhooks: { type: 'array', items: webhook, description: 'Subscribed at the start.' },
    listen: strict({
      port: { type: 'integer', minimum: 0, maximum: 65_535 },
      host: text,
      allowRemote: flag,
      controlToken: { type: 'string', minLength: 16 },
    }),
  }),
} as const;

import * as z from 'zod/mini';
import * as responses from '../../src/contract/responses.js';
import { meterTypes, transactionStatuses } from '../../src/contract/vocabulary.js';
import { codesOf, errorResponses } from '../../src/errors/error-responses.js';
import { descriptionOf } from './descriptions.js';

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of an object. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The JSON Schema of one of the contract's schemas. */
export function jsonSchema(schema: z.ZodMiniType): ObjectSchema {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    // The only rule that has no words in JSON Schema: the check that a webhook URL is https.
    override: ({ jsonSchema: made, path }) => {
      if (path.at(-1) === 'url') made.format = 'uri';
    },
  });
  const { type, properties = {}, required = [], additionalProperties } = converted;
  if (type !== 'object') throw new Error('the schemas of the contract are objects');
  // `{}` means the same as true, which generators of types understand better.
  const open = typeof additionalProperties === 'object' && { additionalProperties: true };
  return { type, properties: properties as ObjectSchema['properties'], required, ...open };
}

/** What the schemas leave open on purpose, because the service may add values, and the service's documentation lists. */
const documented: Readonly<Record<string, JsonSchema>> = {
  transaction_status: { enum: transactionStatuses },
  meter_type: { enum: meterTypes },
  network: { deprecated: true },
};

/** Adds to each field the doc comment of the interface that callers see. */
export function described(owner: string, schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema.properties).map(([field, own]) => {
    const description = descriptionOf(owner, field);
    return [field, { ...own, ...(description !== undefined && { description }), ...documented[field] }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** An envelope whose field holds an object, or a list of objects, that has a name of its own. */
function envelope(schema: z.ZodMiniType, field: string, name: string, owner = name) {
  const whole = jsonSchema(schema);
  const own = whole.properties[field];
  const isList = own?.['type'] === 'array';
  const inner = (isList ? own?.['items'] : own) as ObjectSchema;
  const at = isList ? { type: 'array', items: reference(name) } : reference(name);
  return {
    inner: described(owner, {
      ...inner,
      ...(inner['additionalProperties'] !== undefined && { additionalProperties: true }),
    }),
    outer: { ...whole, properties: { ...whole.properties, [field]: at } },
  };
}

const acceptance = envelope(responses.acceptanceEnvelope(), 'data', 'AcceptedPurchase', 'Purchase');
const catalogue = envelope(responses.catalogueEnvelope(), 'products', 'CatalogueProduct');
const transaction = envelope(responses.transactionEnvelope(), 'data', 'Transaction');
const subscription = envelope(responses.subscriptionEnvelope(), 'data', 'WebhookSubscription');

/** The body of an error with these codes; of any code where there are none. */
function errorSchema(codes?: readonly string[]): ObjectSchema {
  return {
    type: 'object',
    properties: {
      status: { type: 'string', const: 'error' },
      code: { type: 'string', description: 'What to decide by.', ...(codes && { enum: codes }) },
      message: { type: 'string', description: 'For people; its text may change.' },
    },
    required: ['status', 'code', 'message'],
    additionalProperties: true,
  };
}

const withFields = (schema: ObjectSchema, properties: ObjectSchema['properties']): ObjectSchema => ({
  ...schema,
  properties: { ...schema.properties, ...properties },
});

/** Fields that some statuses have besides. */
const errorFields: Readonly<Record<string, ObjectSchema['properties']>> = {
  422: {
    errors: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'With VALIDATION_FAILED: what is wrong with each field, by its name.',
    },
  },
  429: { retry_after_seconds: { type: 'integer', description: 'Seconds to wait, as in Retry-After.' } },
};

/** Statuses with a documented code. */
const statuses = new Set(errorResponses.flatMap((row) => ('code' in row ? [row.status] : [])));
const errors = [...statuses].map((status) => [
  `Error${status}`,
  withFields(errorSchema(codesOf(status)), errorFields[status] ?? {}),
]);

/** Every named schema. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = {
  AcceptedPurchase: acceptance.inner,
  AcceptanceEnvelope: acceptance.outer,
  CatalogueProduct: catalogue.inner,
  CatalogueEnvelope: catalogue.outer,
  ValidateEnvelope: described('ValidateResult', jsonSchema(responses.validateEnvelope())),
  ElectricityValidateEnvelope: described(
    'ValidateResult',
    jsonSchema(responses.electricityValidateEnvelope()),
  ),
  Transaction: transaction.inner,
  TransactionEnvelope: transaction.outer,
  WebhookSubscription: subscription.inner,
  SubscriptionEnvelope: subscription.outer,
  Error: errorSchema(),
  ...Object.fromEntries(errors),
};

/** The name of the schema of a success. */
export function successSchemaName(schema: z.ZodMiniType): string {
  const names = new Map<z.ZodMiniType, string>([
    [responses.acceptanceEnvelope(), 'AcceptanceEnvelope'],
    [responses.catalogueEnvelope(), 'CatalogueEnvelope'],
    [responses.validateEnvelope(), 'ValidateEnvelope'],
    [responses.electricityValidateEnvelope(), 'ElectricityValidateEnvelope'],
    [responses.transactionEnvelope(), 'TransactionEnvelope'],
    [responses.subscriptionEnvelope(), 'SubscriptionEnvelope'],
  ]);
  const name = names.get(schema);
  if (name === undefined) throw new Error('this response schema has no name in the OpenAPI document');
  return name;
}

import type { WebhookTransaction } from '../../src/contract/events.js';
import { signatureVersion, webhookEventNames, webhookHeaders } from '../../src/contract/vocabulary.js';
import { described, type JsonSchema, type ObjectSchema, reference } from './schemas.js';

/** The transaction of an event. The client checks its reference alone, so the contract has no schema of it. */
const transaction = {
  reference: { type: 'string' },
  status: { type: 'string' },
  service_type: { type: 'string' },
  amount: { type: 'number' },
  token: { type: ['string', 'null'] },
  completed_at: { type: 'string', format: 'date-time' },
  metadata: { type: 'object', additionalProperties: true },
} satisfies Record<keyof WebhookTransaction, JsonSchema>;

const required = (properties: ObjectSchema['properties']): ObjectSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

const event = (name: string): ObjectSchema =>
  required({
    event: { type: 'string', const: name },
    timestamp: { type: 'string', format: 'date-time', description: 'When the event was created.' },
    signature_version: { type: 'string', const: signatureVersion },
    data: reference('WebhookTransaction'),
  });

/** `transaction.completed` becomes `TransactionCompletedEvent`. */
const schemaName = (name: string): string =>
  `${name.replace(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The named schemas of events. */
export const eventSchemas: Readonly<Record<string, JsonSchema>> = {
  WebhookTransaction: described('WebhookTransaction', required(transaction)),
  ...Object.fromEntries(webhookEventNames.map((name) => [schemaName(name), event(name)])),
};

const headers: readonly (readonly [name: string, description: string, schema: JsonSchema])[] = [
  [
    webhookHeaders.signature,
    'HMAC-SHA256 over `{timestamp}.{raw body}`, keyed with the secret of the subscription, as lowercase hex.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
  ],
  [webhookHeaders.timestamp, 'Unix seconds.', { type: 'string', pattern: '^[0-9]+$' }],
  [webhookHeaders.event, 'The same as `event` in the body.', { type: 'string', enum: webhookEventNames }],
  [webhookHeaders.deliveryId, 'The same for all retries of an event.', { type: 'string', format: 'uuid' }],
];

const summaries: Readonly<Record<(typeof webhookEventNames)[number], string>> = {
  'transaction.completed': 'A transaction reached success',
  'transaction.failed': 'A transaction reached failed, and the wallet has been refunded',
};

/** The webhooks of the document. */
export const webhooks = Object.fromEntries(
  webhookEventNames.map((name) => [
    name,
    {
      post: {
        operationId: schemaName(name).replace(/^T/, 't'),
        summary: summaries[name],
        tags: ['Webhooks'],
        security: [],
        parameters: headers.map(([header, description, schema]) => ({
          name: header,
          in: 'header',
          required: true,
          description,
          schema,
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: reference(schemaName(name)) } },
        },
        responses: {
          '2XX': {
            description: 'Handled. Any other response, or none in time, and the event is delivered again.',
          },
          '4XX': { description: 'Refused: the signature does not verify. The event is delivered again.' },
        },
      },
    },
  ]),
);

import { operations } from '../../contract/operations.js';
import { faultSchema } from '../lab/fault-options.js';
import { type JsonSchema, jsonSchemaOf } from '../schemas/kinds.js';
import { objectOf, oneOf, reference, schemas } from './route.js';

/** The resources of the control API, for the OpenAPI document. */

const { text, flag, naira, time } = schemas;

const orNull = (schema: JsonSchema & { readonly type: string }): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
});
const textOrNull = orNull(text);
const timeOrNull = orNull(time);
const whole: JsonSchema & { readonly type: string } = { type: 'integer' };
const listOfAny: JsonSchema = { type: 'array' };
const anyObject: JsonSchema = { type: 'object' };

const reply: JsonSchema = {
  ...textOrNull,
  description:
    'Where the receiver did not accept it: the beginning of the body that it responded with, at most 2,048 bytes.',
};

const operationName = oneOf(...Object.keys(operations));

/** Every property is always there. */
const resource = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf(properties, Object.keys(properties));

const transaction = {
  reference: text,
  client_id: text,
  operation: operationName,
  product: oneOf('airtime', 'data', 'tv', 'electricity', 'edu'),
  biller: text,
  recipient: text,
  product_code: textOrNull,
  quantity: whole,
  meter_type: textOrNull,
  idempotency_key: text,
  amount: naira,
  commission: naira,
  state: oneOf('pending', 'success', 'failed'),
  refunded: flag,
  has_token: flag,
  created_at: { type: 'string', description: 'YYYY-MM-DD HH:MM:SS, UTC' },
  updated_at: text,
  completed_at: textOrNull,
  settles_at: timeOrNull,
  accepted_at: timeOrNull,
  requests_sent: {
    type: 'integer',
    description: 'How many purchases were sent under its key, as far as the log of requests goes back.',
  },
  delivery: { anyOf: [reference('DeliveryState'), { type: 'null' }] },
};

const deliveryState = {
  id: text,
  event: oneOf('transaction.completed', 'transaction.failed'),
  state: oneOf('pending', 'delivered', 'failed'),
  at: time,
  attempts: whole,
  last_status: orNull(whole),
  last_error: textOrNull,
  last_reply: reply,
  last_url: textOrNull,
  last_delivered: orNull(flag),
  next_attempt_at: timeOrNull,
};

const delivery = {
  ...deliveryState,
  client_id: text,
  reference: text,
  product: textOrNull,
  biller: textOrNull,
  recipient: textOrNull,
  amount: orNull(naira),
};

const request = {
  id: whole,
  at: time,
  ip: text,
  method: text,
  path: text,
  operation: { anyOf: [operationName, { type: 'null' }] },
  client_id: textOrNull,
  biller: schemas.any,
  recipient: schemas.any,
  amount: schemas.any,
  idempotency_key: textOrNull,
  reference: textOrNull,
  replayed: flag,
  status: orNull(whole),
  code: schemas.any,
  outcome: oneOf('complete', 'cut', 'closed'),
  fault: { anyOf: [reference('FaultOptions'), { type: 'null' }] },
  warnings: { type: 'array', items: reference('Warning') },
  duration_ms: whole,
};

const times: JsonSchema = {
  anyOf: [{ type: 'integer', minimum: 0 }, { const: 'always' }],
  description: 'How many requests it meets; "always" until it is removed.',
};

const faultOptions = jsonSchemaOf(faultSchema)['properties'] as Readonly<Record<string, JsonSchema>>;

/** `#/components/schemas` by name. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: resource({ type: text, title: text, status: whole, detail: text }),
  Transaction: resource(transaction),
  TransactionDetail: resource({
    ...transaction,
    token: textOrNull,
    timeline: { type: 'array', items: reference('TimelineEntry') },
    requests: { type: 'array', items: reference('Request') },
    delivery: { anyOf: [reference('DeliveryDetail'), { type: 'null' }] },
  }),
  TimelineEntry: resource({
    sequence: whole,
    at: time,
    kind: oneOf('request', 'wallet', 'settlement', 'delivery'),
    text,
    request_id: { ...orNull(whole), description: 'The request of an entry `request`.' },
    attempt: { ...orNull(whole), description: 'The number of the attempt of an entry `delivery`.' },
  }),
  DeliveryState: resource(deliveryState),
  Delivery: resource(delivery),
  DeliveryDetail: resource({
    ...delivery,
    body: text,
    attempts: { type: 'array', items: reference('DeliveryAttempt') },
  }),
  DeliveryAttempt: resource({
    number: whole,
    at: time,
    reason: oneOf('first', 'retry', 'duplicate', 'redelivery'),
    url: text,
    headers: { type: 'object', additionalProperties: text },
    corruption: textOrNull,
    status: orNull(whole),
    error: textOrNull,
    reply,
    delivered: flag,
    duration_ms: whole,
  }),
  Request: resource(request),
  RequestDetail: resource({
    ...request,
    query: { type: 'object', additionalProperties: text },
    headers: { type: 'object', additionalProperties: text },
    body: schemas.any,
    response: schemas.any,
  }),
  Warning: objectOf({ code: text, message: text, differences: listOfAny }, ['code', 'message']),
  Client: resource({
    client_id: text,
    secret_key: text,
    public_key: text,
    verified: flag,
    suspended: flag,
    allowed_ips: { type: 'array', items: text },
    balance: naira,
    subscription: { anyOf: [objectOf({ url: text, enabled: flag }), { type: 'null' }] },
  }),
  Wallet: resource({ client_id: text, balance: naira, entries: whole }),
  LedgerEntry: resource({
    kind: oneOf('funding', 'debit', 'refund'),
    amount: naira,
    balance: naira,
    idempotency_key: textOrNull,
    reference: textOrNull,
    at: time,
  }),
  FaultOptions: jsonSchemaOf(faultSchema),
  Fault: objectOf({ id: whole, ...faultOptions, remaining: times, used: whole }, ['id', 'remaining', 'used']),
  Clock: resource({ kind: oneOf('real', 'manual'), now: time, next_event_at: timeOrNull }),
  Catalogue: resource({ data: anyObject, tv: anyObject, edu: anyObject }),
  Trigger: resource({ name: text, recipient: text, effect: text, description: text }),
  Audit: resource({
    ok: flag,
    problems: { type: 'array', items: text },
    transactions: whole,
    debits: whole,
    refunds: whole,
    debited: naira,
    refunded: naira,
    balance: naira,
  }),
  Summary: resource({
    transactions: resource({ total: whole, pending: whole, success: whole, failed: whole }),
    deliveries: resource({
      total: whole,
      pending: whole,
      failing: { type: 'integer', description: 'Those whose last attempt failed.' },
    }),
    next_retry: {
      anyOf: [
        {
          ...resource({ delivery_id: text, reference: text, at: time }),
          description: 'The webhook that is sent again next.',
        },
        { type: 'null' },
      ],
    },
    requests: { type: 'integer', description: 'How many are in the log.' },
    clients: { type: 'integer', description: 'How many clients have bought something.' },
    faults: whole,
    audit: reference('Audit'),
    clock: reference('Clock'),
  }),
  Info: resource({
    version: text,
    run_id: { type: 'string', description: 'Another one after every start of the server.' },
    base_url: text,
    seed: text,
    clock: reference('Clock'),
    default_client_id: text,
  }),
};

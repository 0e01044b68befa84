import * as z from 'zod/mini';
import { operations } from '../../contract/operations.js';
import { products } from '../../contract/vocabulary.js';
import { faultSchema } from '../lab/fault-options.js';
import { described } from '../schemas/kinds.js';

/**
 * What the control API responds with: one schema for each resource, which is its entry in the OpenAPI document, the type of its view and what
 * `viewOf` reads. Names are those of the service's own API where it has one.
 */

const text = z.string();
const flag = z.boolean();
const whole = z.int();
const naira = described(z.number(), { minimum: 0, description: 'NGN' });
/** A `Date` becomes its ISO text in JSON. */
export const time = described(z.custom<Date>(), { type: 'string', format: 'date-time' });
const anything = z.unknown();
const texts: z.ZodMiniType<Readonly<Record<string, string>>> = z.record(z.string(), z.string());
const list = <S extends z.ZodMiniType>(item: S): z.ZodMiniType<readonly z.output<S>[]> => z.array(item);
const operationName = z.enum(Object.keys(operations) as (keyof typeof operations)[]);
const product = z.enum(products);
const [textOrNull, timeOrNull, wholeOrNull] = [z.nullable(text), z.nullable(time), z.nullable(whole)];

/** A schema with its name in the OpenAPI document. */
const resource = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(id: string, shape: Shape) =>
  described(z.object(shape), { id });

const wholeThat = (description: string) => described(z.int(), { description });

const reply = described(z.nullable(z.string()), {
  description:
    'Where the receiver did not accept it: the beginning of the body that it responded with, at most 2,048 bytes.',
});

export const problem = resource('Problem', { type: text, title: text, status: whole, detail: text });

export const deliveryState = resource('DeliveryState', {
  id: text,
  event: z.enum(['transaction.completed', 'transaction.failed']),
  state: z.enum(['pending', 'delivered', 'failed']),
  at: time,
  attempts: whole,
  last_status: wholeOrNull,
  last_error: textOrNull,
  last_reply: reply,
  last_url: textOrNull,
  last_delivered: z.nullable(flag),
  next_attempt_at: timeOrNull,
});

/** With what its transaction sold. */
export const delivery = resource('Delivery', {
  ...deliveryState.shape,
  client_id: text,
  reference: text,
  product: z.nullable(product),
  biller: textOrNull,
  recipient: textOrNull,
  amount: z.nullable(naira),
});

export const attempt = resource('DeliveryAttempt', {
  number: whole,
  at: time,
  reason: z.enum(['first', 'retry', 'duplicate', 'redelivery']),
  url: text,
  headers: texts,
  corruption: z.nullable(z.enum(['bad-signature', 'old-timestamp'])),
  status: wholeOrNull,
  error: textOrNull,
  reply,
  delivered: flag,
  duration_ms: whole,
});

export const deliveryDetail = resource('DeliveryDetail', {
  ...delivery.shape,
  body: text,
  attempts: list(attempt),
});

/** Every field but the token, which is worth money to whoever reads it: it is in the details only. */
export const transaction = resource('Transaction', {
  reference: text,
  client_id: text,
  operation: operationName,
  product,
  biller: text,
  recipient: text,
  product_code: textOrNull,
  quantity: whole,
  meter_type: textOrNull,
  idempotency_key: text,
  amount: naira,
  commission: naira,
  state: z.enum(['pending', 'success', 'failed']),
  refunded: flag,
  has_token: flag,
  created_at: described(z.string(), { description: 'YYYY-MM-DD HH:MM:SS, UTC' }),
  updated_at: text,
  completed_at: textOrNull,
  settles_at: timeOrNull,
  accepted_at: timeOrNull,
  requests_sent: wholeThat(
    'How many purchases were sent under its key, as far as the log of requests goes back.',
  ),
  delivery: z.nullable(deliveryState),
});

const payloadValue = z.optional(z.union([text, z.number()]));
const warning = resource('Warning', {
  code: text,
  message: text,
  differences: z.optional(list(z.object({ field: text, original: payloadValue, repeated: payloadValue }))),
});

const faultOptions = described(faultSchema.clone(), { id: 'FaultOptions' });

export const request = resource('Request', {
  id: whole,
  at: time,
  ip: text,
  method: text,
  path: text,
  operation: z.nullable(operationName),
  client_id: textOrNull,
  biller: anything,
  recipient: anything,
  amount: anything,
  idempotency_key: textOrNull,
  reference: textOrNull,
  replayed: flag,
  status: wholeOrNull,
  code: anything,
  outcome: z.enum(['complete', 'cut', 'closed']),
  fault: z.nullable(faultOptions),
  warnings: list(warning),
  duration_ms: whole,
});

export const requestDetail = resource('RequestDetail', {
  ...request.shape,
  query: texts,
  headers: texts,
  body: anything,
  response: z.nullable(z.object({ status: whole, headers: texts, body: anything })),
});

export const timelineEntry = resource('TimelineEntry', {
  sequence: whole,
  at: time,
  kind: z.enum(['request', 'wallet', 'settlement', 'delivery']),
  text,
  request_id: described(z.nullable(whole), { description: 'The request of an entry `request`.' }),
  attempt: described(z.nullable(whole), { description: 'The number of the attempt of an entry `delivery`.' }),
});

export const transactionDetail = resource('TransactionDetail', {
  ...transaction.shape,
  token: textOrNull,
  timeline: list(timelineEntry),
  requests: list(request),
  delivery: z.nullable(deliveryDetail),
});

export const client = resource('Client', {
  client_id: text,
  secret_key: text,
  public_key: text,
  verified: flag,
  suspended: flag,
  allowed_ips: list(text),
  balance: naira,
  subscription: z.nullable(z.object({ url: text, enabled: flag })),
});

export const wallet = resource('Wallet', { client_id: text, balance: naira, entries: whole });

export const ledgerEntry = resource('LedgerEntry', {
  kind: z.enum(['funding', 'debit', 'refund']),
  amount: naira,
  balance: naira,
  idempotency_key: textOrNull,
  reference: textOrNull,
  at: time,
});

export const fault = resource('Fault', {
  id: whole,
  ...faultSchema.shape,
  remaining: described(z.union([z.int().check(z.minimum(0)), z.literal('always')]), {
    description: 'How many requests it meets; "always" until it is removed.',
  }),
  used: whole,
});

export const clock = resource('Clock', {
  kind: z.enum(['real', 'manual']),
  now: time,
  next_event_at: timeOrNull,
});

const byBiller = z.record(z.string(), anything);
export const catalogue = resource('Catalogue', { data: byBiller, tv: byBiller, edu: byBiller });

export const trigger = resource('Trigger', { name: text, recipient: text, effect: text, description: text });

export const audit = resource('Audit', {
  ok: flag,
  problems: list(text),
  transactions: whole,
  debits: whole,
  refunds: whole,
  debited: naira,
  refunded: naira,
  balance: naira,
});

export const summary = resource('Summary', {
  transactions: z.object({ total: whole, pending: whole, success: whole, failed: whole }),
  deliveries: z.object({
    total: whole,
    pending: whole,
    failing: wholeThat('Those whose last attempt failed.'),
  }),
  next_retry: described(z.nullable(z.object({ delivery_id: text, reference: text, at: time })), {
    description: 'The webhook that is sent again next.',
  }),
  requests: wholeThat('How many are in the log.'),
  clients: wholeThat('How many clients have bought something.'),
  faults: whole,
  audit,
  clock,
});

export const info = resource('Info', {
  version: text,
  run_id: described(z.string(), { description: 'Another one after every start of the server.' }),
  base_url: text,
  seed: text,
  clock,
  default_client_id: text,
});

/** What a value is after its way through JSON. */
type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Element)[]
    ? readonly Json<Element>[]
    : T extends object
      ? { readonly [Name in keyof T]: Json<T[Name]> }
      : T;

/** A resource as a caller of the control API receives it. */
export type Received<Schema extends z.ZodMiniType> = Json<z.output<Schema>>;

import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import {
  createWebhookHandler,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookDelivery,
  WebhookVerificationError,
} from '../../../src/webhooks/index.js';
import { Random } from '../../support/random.js';
import { anyHeaders, anyText, anyValue, mutated, spoilt } from './values.js';

const secret = 'whsec_fuzz_4f9c1d7e8b2a';
const now = new Date('2026-01-31T09:30:00Z');

/** A delivery, and whether an independent HMAC says that it is authentic. */
interface Delivery {
  readonly body: unknown;
  readonly headers: unknown;
  readonly authentic: boolean;
}

const event = {
  event: 'transaction.completed',
  timestamp: '2026-01-31T09:30:00Z',
  signature_version: 'v1',
  data: {
    reference: 'TXN-1',
    status: 'success',
    service_type: 'ELECTRICITY',
    amount: 500,
    token: '03600873271267716521',
    completed_at: '2026-01-31T09:30:00Z',
    metadata: {},
  },
};

function anyRaw(random: Random): string | Uint8Array {
  const text = random.chance(0.2)
    ? anyText(random)
    : JSON.stringify(random.chance(0.3) ? event : spoilt(random, event));
  // A lone surrogate cannot be encoded in UTF-8, so such a text never came over a network.
  if (random.chance(0.5)) return Buffer.from(text).toString('utf8');
  return random.chance(0.2)
    ? new Uint8Array(random.bytes(random.int(0, 200)))
    : new Uint8Array(Buffer.from(text));
}

const hmac = (timestamp: string, body: string | Uint8Array): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');

function anyDelivery(random: Random): Delivery {
  const raw = anyRaw(random);
  const seconds = Math.floor(now.getTime() / 1000) - random.pick([0, 0, 60, 114_960, 114_961, -300, -301]);
  const stamp = random.chance(0.05) ? anyText(random) : String(seconds);
  const signature = random.chance(0.1) ? anyText(random) : hmac(stamp, raw);
  const given = random.chance(0.15) ? mutated(random, signature) : signature;
  const sent = random.chance(0.1) && typeof raw === 'string' ? mutated(random, raw) : raw;
  const pairs: [string, string][] = [
    ['X-Service-Signature', random.chance(0.2) ? given.toUpperCase() : given],
    ['X-Service-Timestamp', stamp],
  ];
  if (random.chance(0.5)) pairs.push(['X-Service-Event', random.chance(0.9) ? event.event : anyText(random)]);
  if (random.chance(0.5)) pairs.push(['X-Service-Delivery-ID', anyText(random)]);
  if (random.chance(0.2)) pairs.push(...anyHeaders(random));
  if (random.chance(0.05)) pairs.splice(random.int(0, 1), 1);
  return {
    body: sent,
    headers: headersIn(random, pairs),
    authentic: given.toLowerCase() === hmac(stamp, sent),
  };
}

/** The forms in which frameworks pass headers, right and wrong ones. */
function headersIn(random: Random, pairs: readonly [string, string][]): unknown {
  switch (random.int(0, 5)) {
    case 0:
      return pairs;
    case 1:
      return {
        get: (name: string) => pairs.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1] ?? null,
      };
    case 2:
      return Object.fromEntries(
        pairs.map(([name, value]) => [name.toLowerCase(), random.chance(0.1) ? [value] : value]),
      );
    case 3:
      return random.chance(0.1) ? anyValue(random) : Object.fromEntries(pairs);
    default:
      return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  }
}

const reasons = new Set([
  'missing_header',
  'malformed_timestamp',
  'timestamp_outside_tolerance',
  'malformed_signature',
  'signature_mismatch',
  'event_header_mismatch',
  'body_not_json',
  'body_incomplete',
  'body_already_parsed',
]);

/** Runs case `name` of `verifyWebhook`; returns what is wrong, or nothing. */
export function verifyCase(name: string): string | undefined {
  const random = new Random(name);
  const delivery = anyDelivery(random);
  const body = random.chance(0.03) ? anyParsed(random) : delivery.body;
  const authentic = delivery.authentic && body === delivery.body;
  // The casts allow only what the types forbid: mistakes of callers that happen all the same.
  const options = {
    body,
    headers: delivery.headers,
    secret: random.chance(0.2) ? ['whsec_old_4f9c1d7e8b2a', secret] : secret,
    now,
  };
  try {
    const verified = verifyWebhook(options as VerifyWebhookOptions);
    if (!authentic) return `verified a forged delivery: ${inspect(options).slice(0, 500)}`;
    const good = typeof verified.event === 'string' && typeof verified.data.reference === 'string';
    return good ? undefined : `gave ${inspect(verified)}`;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) return `threw ${inspect(error).slice(0, 500)}`;
    if (!reasons.has(error.reason)) return `refused for ${error.reason}`;
    if (authentic && /^(malformed_signature|signature_mismatch)$/.test(error.reason)) {
      return `refused an authentic delivery: ${error.reason}`;
    }
    return inspect(error).includes(secret) ? 'the error shows the secret' : undefined;
  }
}

/** A body that has been parsed already, or that is not a body at all. */
const anyParsed = (random: Random): unknown =>
  random.pick<unknown>([event, {}, null, undefined, 42, [], true, anyValue(random)]);

const statuses = new Set([200, 400, 401, 405, 413, 500]);

let handled = 0;
let failing = false;
const logLines: string[] = [];
const handler = createWebhookHandler({
  secret,
  tolerance: 1e9,
  dedupe: false,
  on: {
    'transaction.completed': () => {
      handled += 1;
      if (failing) throw new Error(`cannot with ${secret}`);
    },
  },
  onUnknown: () => {
    handled += 1;
  },
  logger: {
    info: (line: string) => logLines.push(line),
    warn: (line: string) => logLines.push(line),
    error: (line: string, fields: object) => logLines.push(line, JSON.stringify(fields)),
  },
});

/** Runs case `name` of the receiver; returns what is wrong, or nothing. One at a time. */
export async function receiveCase(name: string): Promise<string | undefined> {
  const random = new Random(name);
  const { body, headers, authentic } = anyDelivery(random);
  const handedOver = random.chance(0.3)
    ? streamOf(random, body)
    : random.chance(0.03)
      ? anyParsed(random)
      : body;
  const whole = handedOver === body;
  const method = random.chance(0.95) ? 'POST' : random.pick(['GET', '', 'post', undefined]);
  handled = 0;
  failing = random.chance(0.1);
  logLines.length = 0;
  try {
    const response = await handler.receive({ method, headers, body: handedOver } as WebhookDelivery);
    if (!statuses.has(response.status)) return `responded with ${response.status}`;
    if (handled > 1) return 'handled one delivery twice';
    if (handled === 1 && whole && !authentic) return 'handled a forged delivery';
    if (logLines.some((line) => line.includes(secret))) return 'a log line shows the secret';
    return undefined;
  } catch (error) {
    return `rejected with ${inspect(error).slice(0, 500)}`;
  }
}

async function* streamOf(random: Random, body: unknown): AsyncGenerator<unknown> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(Object(body));
  const cut = random.int(0, bytes.length);
  yield bytes.subarray(0, cut);
  if (random.chance(0.1)) throw random.pick<unknown>([new Error('gone'), undefined, 'text']);
  if (random.chance(0.05)) yield random.pick<unknown>(['text', null, 7, {}]);
  yield bytes.subarray(cut);
}

import type * as billpay from 'billpay';
import type * as webhooks from 'billpay/webhooks';
import { type Vector, vectors } from '../webhooks/vectors.js';

/** The package's exports, as a runtime imported them. */
export type Kit = typeof billpay & Pick<typeof webhooks, 'signWebhook'>;

/** The address of the service, and how the runtime behaves. */
export interface Place {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly publicKey: string;
  /** Responds with a fault: `{oddUrl}/close/api/v1`, `/hang`, `/html`, `/redirect`, `/cut`, `/misdirected`; keeps deliveries to `/hook`. */
  readonly oddUrl: string;
  /** An address where nothing listens. */
  readonly refusedUrl: string;
  /** Whether the runtime distinguishes a refused connection from a broken one. */
  readonly knowsRefusal: boolean;
  /** Whether the runtime itself repeats a request when a kept-alive connection closes. */
  readonly resends: boolean;
  /** A page: public key, catalogues and validate calls only. */
  readonly browser: boolean;
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The result of a run. */
export interface Report {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly why: string }[];
  /** The number of purchases that the wallet should have paid for. */
  readonly bought: number;
}

type Body = () => void | Promise<void>;

const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 } as const;
const unresolvableUrl = 'http://no-such-host.invalid/api/v1';

/** The list of cases that every runtime runs: webhook vectors, then calls. */
export async function runSuite(kit: Kit, place: Place): Promise<Report> {
  const passed: string[] = [];
  const failed: { name: string; why: string }[] = [];
  let bought = 0;
  const run = async (cases: Record<string, Body>) => {
    for (const [name, body] of Object.entries(cases)) {
      try {
        await body();
        passed.push(name);
      } catch (error) {
        failed.push({ name, why: error instanceof Error ? (error.stack ?? String(error)) : String(error) });
      }
    }
  };
  const selling = () => {
    bought++;
  };
  await run(vectorCases(kit));
  await run(errorCases(kit));
  await run(place.browser ? pageCases(kit, place) : readingCases(kit, clientOf(kit, place)));
  if (!place.browser) {
    await run(sellingCases(kit, place, selling));
    await run(faultCases(kit, place, selling));
  }
  return { passed, failed, bought };
}

function clientOf(kit: Kit, place: Place, options: billpay.BillPayOptions = {}): billpay.BillPay {
  return new kit.BillPay({
    apiKey: place.browser ? place.publicKey : place.secretKey,
    clientId: place.clientId,
    baseUrl: place.baseUrl,
    logLevel: 'off',
    fetch: place.fetch,
    ...options,
  });
}

function holds(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

function same(actual: unknown, wanted: unknown, what: string): void {
  const [got, want] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (got !== want) throw new Error(`${what}: wanted ${want}, got ${got}`);
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it should have been refused');
}

function thrownBy(body: () => unknown): unknown {
  try {
    body();
  } catch (error) {
    return error;
  }
  throw new Error('it should have thrown');
}

interface Expected {
  readonly name: string;
  readonly code: string | undefined;
  readonly mayHaveCharged?: boolean;
  readonly attempts?: number;
}

/** Checks class, name and code together: a minifier must not separate them. */
function isError(kit: Kit, error: unknown, { name, code, mayHaveCharged = false, attempts }: Expected): void {
  if (!(error instanceof kit.BillPayError)) throw error;
  const own: unknown = Reflect.get(kit, name);
  holds(typeof own === 'function' && error instanceof own, `instanceof ${name}, not ${error.name}`);
  holds(kit.isBillPayError(error), 'isBillPayError');
  holds(
    !(error instanceof (name === 'RateLimitError' ? kit.ConfigurationError : kit.RateLimitError)),
    'only',
  );
  same([error.name, error.code], [name, code], 'name and code');
  same(error.mayHaveCharged, mayHaveCharged, 'mayHaveCharged');
  if (attempts !== undefined) same(error.attempts, attempts, 'attempts');
  holds(error.stack?.startsWith(name) || !error.stack?.includes('Error:'), 'the stack begins with the name');
}

const bytesOf = ({ body, bytes }: Vector): string | Uint8Array =>
  bytes === undefined ? body : Uint8Array.from(bytes.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function vectorCases(kit: Kit): Record<string, Body> {
  const deliver = (vector: Vector, body: string | Uint8Array, signature: string) =>
    kit.verifyWebhook({
      body,
      headers: new Headers({ 'X-Service-Signature': signature, 'X-Service-Timestamp': vector.timestamp }),
      secret: vector.secret,
      now: new Date(Number(vector.timestamp) * 1000),
    });
  const reasonOf = (body: () => unknown): string | undefined => {
    const error = thrownBy(body);
    return error instanceof kit.WebhookVerificationError ? error.reason : undefined;
  };
  const cases = vectors.map((vector): [string, Body] => [
    `vector: ${vector.name}`,
    () => {
      const body = bytesOf(vector);
      const encoded = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      for (const raw of [body, encoded]) {
        // A body that is no event is refused too, but only once its signature has been found right.
        if (vector.body.startsWith('{"event"')) {
          same(deliver(vector, raw, vector.signature).event, JSON.parse(vector.body).event, 'event');
        } else {
          same(
            reasonOf(() => deliver(vector, raw, vector.signature)),
            'body_not_json',
            'reason',
          );
        }
        const forged = `${vector.signature[0] === '0' ? '1' : '0'}${vector.signature.slice(1)}`;
        same(
          reasonOf(() => deliver(vector, raw, forged)),
          'signature_mismatch',
          'reason of a forgery',
        );
      }
      const signed = kit.signWebhook({
        body,
        secret: vector.secret,
        timestamp: new Date(Number(vector.timestamp) * 1000),
        event: 'transaction.completed',
      });
      same(signed['X-Service-Signature'], vector.signature, 'signature');
    },
  ]);
  return Object.fromEntries(cases);
}

function errorCases(kit: Kit): Record<string, Body> {
  return {
    'options are checked': () => {
      const error = thrownBy(() => new kit.BillPay({ apiKey: 'nonsense' }));
      isError(kit, error, { name: 'ConfigurationError', code: 'CONFIGURATION' });
    },
    'a client never prints its key': () => {
      const client = new kit.BillPay({
        apiKey: 'pk_do_not_show',
        clientId: 'client',
        baseUrl: 'https://service.test/api/v1',
      });
      holds(!JSON.stringify(client).includes('do_not_show'), 'the key was printed');
    },
  };
}

function readingCases(kit: Kit, client: billpay.BillPay): Record<string, Body> {
  return {
    'data.products': async () => {
      const { biller, products } = await client.data.products({ biller: 'MTN' });
      holds(biller === 'MTN' && products.length > 0 && products[0]?.product_code, 'a catalogue');
    },
    'tv.products': async () => {
      holds((await client.tv.products({ biller: 'dstv' })).products.length > 0, 'a catalogue');
    },
    'edu.products': async () => {
      holds((await client.edu.products({ biller: 'WAEC' })).products.length > 0, 'a catalogue');
    },
    'tv.validate': async () => {
      holds((await client.tv.validate({ biller: 'DSTV', recipient: '02110144711' })).customer_name, 'a name');
    },
    'electricity.validate': async () => {
      const { customer_name, address } = await client.electricity.validate({
        biller: 'IKEDC',
        recipient: '0124000952992',
        meter_type: 'prepaid',
      });
      holds(customer_name && address, 'a name and an address');
    },
    'edu.validate': async () => {
      holds((await client.edu.validate({ biller: 'JAMB', recipient: '0123456789' })).customer_name, 'a name');
    },
    'withResponse gives the response too': async () => {
      const { data, response, attempts } = await client.data.products({ biller: 'GLO' }).withResponse();
      same([data.biller, response.status, attempts], ['GLO', 200, 1], 'what came');
      same((await response.json()).biller, 'GLO', 'the body again');
    },
    'request reaches any endpoint': async () => {
      const body = await client.request({
        method: 'GET',
        path: '/data/products',
        query: { biller: 'AIRTEL' },
      });
      holds(JSON.stringify(body).includes('"AIRTEL"'), 'the response');
    },
    'parameters are checked before anything is sent': async () => {
      const error = await failureOf(client.data.products({ biller: '' }));
      isError(kit, error, { name: 'ValidationError', code: 'VALIDATION_FAILED', attempts: 0 });
    },
  };
}

function pageCases(kit: Kit, place: Place): Record<string, Body> {
  const client = clientOf(kit, place);
  return {
    ...readingCases(kit, client),
    'a secret key is refused in a page': () => {
      const error = thrownBy(() => clientOf(kit, place, { apiKey: place.secretKey }));
      isError(kit, error, { name: 'ConfigurationError', code: 'CONFIGURATION' });
    },
    'a public key does not buy': async () => {
      const error = await failureOf(client.airtime.purchase(airtime));
      isError(kit, error, { name: 'PermissionError', code: 'GATEWAY_ERROR', attempts: 0 });
    },
  };
}

/** The code of the first product, for purchases that need one. */
const first = async (catalogue: Promise<billpay.Catalogue>): Promise<string> =>
  (await catalogue).products[0]?.product_code ?? '';

/** Waits for the service's webhook delivery for a purchase. */
async function deliveryOf(
  place: Place,
  reference: string,
): Promise<{ body: string; headers: Record<string, string> }> {
  for (let look = 0; look < 100; look++) {
    const kept = await (await fetch(`${place.oddUrl}/kept/${reference}`)).json();
    if (kept) return kept;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no webhook came for ${reference}`);
}

function sellingCases(kit: Kit, place: Place, selling: () => void): Record<string, Body> {
  const client = clientOf(kit, place);
  const accepted = ({ reference, status }: billpay.Purchase) => {
    selling();
    holds(reference, 'a reference');
    same(status, 'pending', 'status');
  };
  return {
    'airtime.purchase, once for each key': async () => {
      const params = { ...airtime, idempotency_key: crypto.randomUUID() };
      const purchase = await client.airtime.purchase(params);
      accepted(purchase);
      same([purchase.idempotency_key, purchase.amount], [params.idempotency_key, 500], 'echo');
      const again = await client.airtime.purchase(params);
      same(again.reference, purchase.reference, 'the reference of the repeat');
      const other = await failureOf(client.airtime.purchase({ ...params, amount: 700 }));
      const reused = { name: 'IdempotencyKeyReusedError', code: 'IDEMPOTENCY_KEY_REUSED' };
      isError(kit, other, { ...reused, mayHaveCharged: true });
    },
    'data.purchase': async () => {
      const product_code = await first(client.data.products({ biller: 'MTN' }));
      accepted(await client.data.purchase({ biller: 'MTN', recipient: '08031234567', product_code }));
    },
    'tv.purchase': async () => {
      const product_code = await first(client.tv.products({ biller: 'GOTV' }));
      accepted(await client.tv.purchase({ biller: 'GOTV', recipient: '2110144711', product_code }));
    },
    'electricity.purchase, followed to its token': async () => {
      const purchase = await client.electricity.purchase({
        biller: 'AEDC',
        recipient: '0124000952992',
        meter_type: 'prepaid',
        amount: 1000,
      });
      accepted(purchase);
      const settled = await client.transactions.waitUntilSettled(purchase.reference, { interval: 100 });
      same(settled.transaction_status, 'success', 'status');
      holds(settled.token, 'a token');
    },
    'edu.purchase': async () => {
      const product_code = await first(client.edu.products({ biller: 'WAEC' }));
      accepted(
        await client.edu.purchase({ biller: 'WAEC', recipient: '08031234567', product_code, quantity: 2 }),
      );
    },
    'a webhook from the service verifies': async () => {
      const { secret } = await client.webhooks.subscribe({ url: `${place.oddUrl}/hook` });
      const purchase = await client.airtime.purchase(airtime);
      accepted(purchase);
      const { body, headers } = await deliveryOf(place, purchase.reference);
      const event = kit.verifyWebhook({ body, headers, secret });
      same([event.event, event.data.reference], ['transaction.completed', purchase.reference], 'the event');
    },
    'transactions.status of an unknown reference': async () => {
      const error = await failureOf(client.transactions.status('no-such-reference'));
      holds(error instanceof kit.NotFoundError, 'NotFoundError');
      same(error.status, 404, 'status');
    },
    'a product that is not there': async () => {
      const params = { biller: 'MTN', recipient: '08031234567', product_code: 'no-such-product' };
      const error = await failureOf(client.data.purchase(params));
      isError(kit, error, { name: 'BillerNotConfiguredError', code: 'GATEWAY_ERROR', attempts: 1 });
    },
    'a wrong key': async () => {
      const stranger = clientOf(kit, place, { apiKey: 'sk_of_nobody' });
      const error = await failureOf(stranger.airtime.purchase(airtime));
      isError(kit, error, { name: 'AuthenticationError', code: 'UNAUTHORIZED', attempts: 1 });
    },
    'a public key does not buy': async () => {
      const visitor = clientOf(kit, place, { apiKey: place.publicKey });
      const error = await failureOf(visitor.airtime.purchase(airtime));
      isError(kit, error, { name: 'PermissionError', code: 'GATEWAY_ERROR', attempts: 0 });
    },
  };
}

function faultCases(kit: Kit, place: Place, selling: () => void): Record<string, Body> {
  const at = (baseUrl: string, options: billpay.BillPayOptions = {}) =>
    clientOf(kit, place, { baseUrl, maxRetries: 0, allowInsecureHttp: true, ...options });
  const buy = (how: string, options?: billpay.BillPayOptions) =>
    failureOf(at(`${place.oddUrl}/${how}/api/v1`, options).airtime.purchase(airtime));
  const doubtful = { mayHaveCharged: true, attempts: 1 };
  return {
    'a lost response is fetched again by the same key': async () => {
      const client = clientOf(kit, place);
      const { data, attempts } = await client.airtime
        .purchase({ ...airtime, recipient: '08000000005' })
        .withResponse();
      selling();
      holds(data.reference, 'a reference');
      same(attempts, place.resends ? 1 : 2, 'attempts');
    },
    'a closed connection leaves it open': async () => {
      isError(kit, await buy('close'), { name: 'ConnectionError', code: 'CONNECTION_FAILED', ...doubtful });
    },
    'a time-out leaves it open': async () => {
      const error = await buy('hang', { timeout: 200 });
      isError(kit, error, { name: 'TimeoutError', code: 'TIMEOUT', ...doubtful });
    },
    'an abort leaves it open, and ends the call at once': async () => {
      const controller = new AbortController();
      const call = at(`${place.oddUrl}/hang/api/v1`).airtime.purchase(airtime, { signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      isError(kit, await failureOf(call), { name: 'AbortError', code: 'ABORTED', ...doubtful });
    },
    'a cut response leaves the purchase in doubt': async () => {
      const error = await buy('cut');
      isError(kit, error, { name: 'UnexpectedResponseError', code: 'UNEXPECTED_RESPONSE', ...doubtful });
    },
    'a page of a proxy leaves it open': async () => {
      isError(kit, await buy('html'), { name: 'ServerError', code: undefined, ...doubtful });
    },
    'a 421 is one request, and leaves it open': async () => {
      const idempotency_key = crypto.randomUUID();
      const client = at(`${place.oddUrl}/misdirected/api/v1`);
      const error = await failureOf(client.airtime.purchase({ ...airtime, idempotency_key }));
      isError(kit, error, { name: 'ApiError', code: undefined, ...doubtful });
      const lengths: string[] = await (await fetch(`${place.oddUrl}/lengths/${idempotency_key}`)).json();
      same([lengths.length, Number(lengths[0]) > 0], [1, true], 'requests, the first with its length');
    },
    'a redirect is not followed': async () => {
      const error = await buy('redirect');
      isError(kit, error, { name: 'UnexpectedResponseError', code: 'UNEXPECTED_RESPONSE', ...doubtful });
    },
    'a refused connection': async () => {
      const error = await failureOf(at(place.refusedUrl).airtime.purchase(airtime));
      const mayHaveCharged = !place.knowsRefusal;
      isError(kit, error, { name: 'ConnectionError', code: 'CONNECTION_FAILED', mayHaveCharged });
    },
    'a host that does not resolve': async () => {
      const error = await failureOf(at(unresolvableUrl).airtime.purchase(airtime));
      const mayHaveCharged = !place.knowsRefusal;
      isError(kit, error, { name: 'ConnectionError', code: 'CONNECTION_FAILED', mayHaveCharged });
    },
  };
}

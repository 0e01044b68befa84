import type { Product } from '../contract/vocabulary.js';
import type { FaultOptions } from './records/objects.js';
import type { SandboxCredentials } from './service/clients.js';

/** How the page and the terminal put things into words. */

/** What each product family is called. */
export const productNames: Readonly<Record<Product, string>> = {
  airtime: 'Airtime',
  data: 'Data',
  tv: 'TV',
  electricity: 'Electricity',
  edu: 'Education',
};

/** What a fault does to one call, or to several: `loses its response`, `get 503 PROVIDER_UNAVAILABLE`. */
export function faultEffects(
  fault: Omit<FaultOptions, 'body'> & { readonly body?: unknown },
  isOne = true,
): string {
  const [verb, their] = isOne ? ['s', 'its'] : ['', 'their'];
  const get = `get${verb}`;
  const after = fault.when === 'after';
  const effects: string[] = [];
  if (fault.delay !== undefined) {
    const time = typeof fault.delay === 'number' ? `${fault.delay} ms` : fault.delay;
    effects.push(`wait${verb} ${time}`);
  }
  if (fault.connection === 'close') {
    effects.push(after ? `lose${verb} ${their} response` : `${get} no connection`);
  }
  if (fault.status !== undefined || fault.body !== undefined) {
    const code = [fault.status, fault.code].filter(Boolean).join(' ');
    const isPage = typeof fault.body === 'string' && fault.body.startsWith('<');
    const what = fault.body === undefined ? code : `${code} with ${isPage ? 'an HTML page' : 'another body'}`;
    effects.push(
      after ? `${isOne ? 'is' : 'are'} processed, but ${get} ${what.trim()}` : `${get} ${what.trim()}`,
    );
  }
  if (fault.cutBody !== undefined) effects.push(`${get} a response that is cut off`);
  if (fault.headers !== undefined) effects.push(`${get} other headers`);
  if (fault.retryAfter !== undefined) effects.push(`with Retry-After ${fault.retryAfter}`);
  return effects.join(', ');
}

/** What goes into a `.env` file for the client. */
export const envBlock = (
  baseUrl: string,
  { secretKey, clientId }: SandboxCredentials,
  webhookSecret?: string,
): string =>
  [
    `BILLPAY_BASE_URL=${baseUrl}`,
    `BILLPAY_API_KEY=${secretKey}`,
    `BILLPAY_CLIENT_ID=${clientId}`,
    ...(webhookSecret === undefined ? [] : [`BILLPAY_WEBHOOK_SECRET=${webhookSecret}`]),
  ].join('\n');

/** A purchase that works as it stands. Pasted again it repeats its key, and so charges nothing more. */
export const firstPurchaseCurl = (baseUrl: string, { secretKey, clientId }: SandboxCredentials): string =>
  curl(
    'POST',
    `${baseUrl}/airtime/purchase`,
    { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
    {
      client_id: clientId,
      biller: 'MTN',
      recipient: '08031234567',
      amount: 500,
      idempotency_key: 'my-first-purchase',
    },
  );

/** In single quotes, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A request as a line that a shell understands. */
export function curl(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): string {
  const parts = [
    `curl${method === 'POST' && body !== undefined ? '' : ` -X ${quoted(method)}`} ${quoted(url)}`,
  ];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) {
    parts.push(`--data-raw ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`);
  }
  return parts.join(' \\\n  ');
}

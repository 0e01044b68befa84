import type { SandboxRequest } from '../records/request-log.js';
import type { SandboxCredentials } from '../rules/clients.js';

/** Lines that a shell understands. */

/** In single quotes, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const bodyOption = (body: unknown): string =>
  `--data-raw ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`;

/** A purchase that works as it stands. Pasted again it repeats its key, and so charges nothing more. */
export const firstPurchaseCurl = (baseUrl: string, { secretKey, clientId }: SandboxCredentials): string =>
  [
    `curl ${quoted(`${baseUrl}/airtime/purchase`)}`,
    `-H ${quoted(`Authorization: Bearer ${secretKey}`)} -H 'Content-Type: application/json'`,
    bodyOption({
      client_id: clientId,
      biller: 'MTN',
      recipient: '08031234567',
      amount: 500,
      idempotency_key: 'my-first-purchase',
    }),
  ].join(' \\\n  ');

/** Said by whoever carries the request, not by its caller. */
const carried =
  /^(host|connection|content-length|transfer-encoding|accept|accept-encoding|accept-language|user-agent|expect|keep-alive|sec-.*|x-sandbox-sent)$/;

/** A request again, with the whole key of the client that sent it where the client is still there. */
export function requestCurl(
  request: Pick<SandboxRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>,
  origin: string,
  client: SandboxCredentials | undefined,
): string {
  const query = new URLSearchParams(request.query).toString();
  const parts = [
    `curl -X ${quoted(request.method)} ${quoted(`${origin}${request.path}${query && `?${query}`}`)}`,
  ];
  for (const [name, value] of Object.entries(request.headers)) {
    if (carried.test(name)) continue;
    const shown = name === 'authorization' ? wholeKey(value, client) : value;
    parts.push(`-H ${quoted(`${name}: ${shown}`)}`);
  }
  if (request.body !== undefined) parts.push(bodyOption(request.body));
  return parts.join(' \\\n  ');
}

/** The log keeps only a key's prefix. */
function wholeKey(authorization: string, client: SandboxCredentials | undefined): string {
  if (client && authorization === 'Bearer sk_…') return `Bearer ${client.secretKey}`;
  if (client && authorization === 'Bearer pk_…') return `Bearer ${client.publicKey}`;
  return authorization;
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

/** A value as TypeScript, with the quotes and the line breaks that people write. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') {
    return value.includes("'")
      ? JSON.stringify(value)
      : `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')}'`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, field]) => {
        const shown = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
        return `${shown}: ${literal(field, inner)}`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}

type Call = Pick<SandboxRequest, 'method' | 'path' | 'query' | 'body'> & {
  readonly operation: string | undefined;
};

/** What a call passes: the fields of its body or query but the account's. */
function fieldsOf({ body, query }: Call): Readonly<Record<string, unknown>> {
  const { client_id: _, ...fields } = typeof body === 'object' && body !== null ? { ...body } : { ...query };
  return fields;
}

/** A request as a call of this package. A purchase keeps its key, so that it buys nothing more. */
export function requestTypeScript(request: Call): string {
  const { operation, method, path, query, body } = request;
  const fields = fieldsOf(request);
  const call =
    operation === 'transactions.status'
      ? `transactions.status(${literal(fields['reference'])})`
      : operation === undefined
        ? `request(${literal({ method, path: path.replace(/^\/api\/v1/, ''), ...(method === 'GET' ? { query } : { body }) })})`
        : `${operation}(${literal(fields)})`;
  return [
    "import { BillPay } from 'billpay';",
    '',
    '// Reads BILLPAY_API_KEY, BILLPAY_CLIENT_ID and BILLPAY_BASE_URL.',
    'const billpay = new BillPay();',
    `console.log(await billpay.${call});`,
    '',
  ].join('\n');
}

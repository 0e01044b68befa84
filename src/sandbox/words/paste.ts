import type { SandboxCredentials } from '../service/accounts.js';
import type { SandboxRequest } from '../service/request-log.js';

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

import type { SandboxCredentials } from '../../service/clients.js';
import { curl } from '../../words.js';
import type { ServiceCall } from './api.js';

/** A request as something to paste: a line of a shell, or code. */

/** Said by whoever carries the request, not by its caller. */
const carried =
  /^(host|connection|content-length|transfer-encoding|accept|accept-encoding|accept-language|user-agent|expect|keep-alive|origin|referer|sec-.*|x-sandbox-page-call)$/;

/** The key that a request was sent with, as its client has it now; undefined where it carried none, or nobody's. */
export function keyOf(
  headers: Readonly<Record<string, string>>,
  client: SandboxCredentials | undefined,
): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined || !client) return authorization?.replace(/^Bearer /i, '');
  return /^Bearer pk_/i.test(authorization) ? client.publicKey : client.secretKey;
}

/** A request again as a line of a shell. */
export function requestCurl(
  { method, path, query, body }: ServiceCall,
  headers: Readonly<Record<string, string>>,
  origin: string,
  key: string | undefined,
): string {
  const search = new URLSearchParams(query).toString();
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (!carried.test(name)) shown[name] = value;
  if (key !== undefined) shown['authorization'] = `Bearer ${key}`;
  return curl(method, `${origin}${path}${search && `?${search}`}`, shown, body);
}

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

/** What a call passes: the fields of its body or query but the account's. */
function fieldsOf({ body, query }: ServiceCall): Readonly<Record<string, unknown>> {
  const { client_id: _, ...fields } = typeof body === 'object' && body !== null ? { ...body } : { ...query };
  return fields;
}

/** A request as a call of this package. A purchase keeps its key, so that it buys nothing more. */
export function requestTypeScript(request: ServiceCall): string {
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

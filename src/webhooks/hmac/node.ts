import { createHmac } from 'node:crypto';

/** HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret, in lowercase hex (service.md, "Events", rule 2). */
export function hmacHex(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

import type { KeyKind } from '../../contract/vocabulary.js';
import type { Client, Clients } from './clients.js';
import { failure, type HttpResponse } from './responses.js';

/** The bearer token of an Authorization header; undefined where it is missing or malformed. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];

/** Whose request it is, or why not. */
export type Authentication =
  | { readonly ok: true; readonly client: Client }
  | { readonly ok: false; readonly response: HttpResponse };

const refused = (response: HttpResponse): Authentication => ({ ok: false, response });

/** One response for every cause, the allow-list among them (docs/service.md, "Authentication", rules 5 and 8). */
const unauthorized = failure(401, 'UNAUTHORIZED', 'The API key is missing, malformed, invalid or suspended.');

/** Who calls, from where, and what for. */
export interface Credentials {
  readonly token: string | undefined;
  readonly ip: string;
  /** The least key that the operation takes. */
  readonly needs: KeyKind;
}

/** The key first, then what it may call. */
export function authenticate({ token, ip, needs }: Credentials, clients: Clients): Authentication {
  const holder = token === undefined ? undefined : clients.byKey(token);
  if (!holder || holder.client.suspended) return refused(unauthorized);
  const { client, kind } = holder;
  if (client.allowedIps.length > 0 && !client.allowedIps.includes(ip)) return refused(unauthorized);
  if (needs === 'secret' && kind === 'public') {
    return refused(failure(403, 'GATEWAY_ERROR', 'This endpoint needs a Secret Key.'));
  }
  return { ok: true, client };
}

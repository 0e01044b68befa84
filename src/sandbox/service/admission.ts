import type { Operation } from '../../contract/operations.js';
import { type FieldErrors, readParams } from '../../contract/read-params.js';
import type { Client } from './clients.js';
import { rulesFor } from './rate-limits.js';
import type { ParsedRequest, Route } from './request.js';
import { failure, type HttpResponse, invalid, methodNotAllowed, rateLimited } from './responses.js';
import type { ServiceState } from './service-state.js';
import { comparableUrl, hasCredentials } from './subscribe.js';

/** A request that may be worked on, or the response that turns it away. */
type Admission =
  | {
      readonly ok: true;
      readonly client: Client;
      readonly route: Route;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly response: HttpResponse };

const refused = (response: HttpResponse): Admission => ({ ok: false, response });

/** More PINs than this in one transaction would keep the process busy for seconds. The service's own limit is not documented. */
const maxQuantity = 1000;

/** One response for every cause, the allow-list among them (docs/service.md, "Authentication", rules 5 and 8). */
const unauthorized = failure(401, 'UNAUTHORIZED', 'The API key is missing, malformed, invalid or suspended.');

const requiredKey = 'is required: a unique value for this purchase attempt';
const requiredClient = 'is required: the account identifier issued at registration';

/**
 * The checks that every request passes, in this order (docs/service.md gives the rules, and leaves their order open):
 *
 * 1. rate limits, by what the request claims about its sender: 429
 * 2. path and method: 404, 405
 * 3. key: known, not suspended, from an allowed address: 401; of the right kind: 403
 * 4. body: a JSON object: 400
 * 5. client_id, when given: registered and the key's own: 403
 * 6. purchases: account in good standing: 403
 * 7. fields, all at once: 400 for query parameters, 422 for body fields
 *
 * A purchase continues in purchase.ts: repeated key (409 or the original), biller and product (422), listed price (422),
 * provider (503), balance (402), debit. A repeated key is looked up before the price and the balance are checked, so that
 * a changed catalogue or an empty wallet does not hide what was bought. The seven checks above come first also for a
 * repeat: an account that was restricted meanwhile gets 403, and a body that is no longer valid gets 422.
 */
export function admit(state: ServiceState, request: ParsedRequest): Admission {
  const { limiter, rateLimits, clock } = state;
  const retryAfter = rateLimits ? limiter.admit(rulesFor(request, rateLimits), clock.now()) : 0;
  if (retryAfter > 0) return refused(rateLimited(retryAfter));

  const { route, fields, clientId } = request;
  if (!route)
    return refused(failure(404, 'NOT_FOUND', `There is no endpoint at ${request.path.slice(0, 200)}.`));
  const { operation } = route;
  if (request.method !== operation.method) return refused(methodNotAllowed(operation.method));

  const holder = request.token === undefined ? undefined : state.clients.byKey(request.token);
  if (!holder || holder.client.suspended || !isAllowed(holder.client, request.ip))
    return refused(unauthorized);
  const { client } = holder;
  if (operation.requiredKey === 'secret' && holder.kind === 'public') {
    return refused(failure(403, 'GATEWAY_ERROR', 'This endpoint needs a Secret Key.'));
  }

  if (!fields) return refused(failure(400, 'BAD_REQUEST', 'The body must be a JSON object.'));
  if (clientId !== undefined && state.clients.byId(clientId) !== client) {
    return refused(
      failure(403, 'GATEWAY_ERROR', 'This client_id is not registered, or the API key is not its own.'),
    );
  }
  if (operation.kind === 'purchase' && !client.verified) {
    return refused(failure(403, 'ACCOUNT_RESTRICTED', 'This account is not permitted to transact.'));
  }

  const checked = checkFields(route, fields, state);
  if (checked.ok) return { ok: true, client, route, params: checked.params };
  return refused(operation.method === 'GET' ? missingParameters(checked.errors) : invalid(checked.errors));
}

/** With no entries, a key works from any address (docs/service.md, "Authentication", rule 8). */
const isAllowed = ({ allowedIps }: Client, ip: string): boolean =>
  allowedIps.length === 0 || allowedIps.includes(ip);

/** Fields of digits, which docs/service.md calls strings. A number there counts as its digits, because it does not say that one is refused. */
export const digitFields = ['recipient', 'customer_phone'] as const;

type CheckedFields =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly errors: FieldErrors };

/** Known fields only: the service ignores fields that it does not document, and null counts as not given. */
function checkFields(
  { operation, fields: known }: Route,
  fields: Readonly<Record<string, unknown>>,
  state: ServiceState,
): CheckedFields {
  const params: Record<string, unknown> = {};
  for (const name of known) {
    const value = fields[name];
    if (value !== undefined && value !== null) params[name] = value;
  }
  for (const name of digitFields) if (typeof params[name] === 'number') params[name] = String(params[name]);
  const errors = fieldErrors(operation, params, state);
  if (typeof fields['client_id'] !== 'string' || fields['client_id'] === '') {
    errors['client_id'] = requiredClient;
  }
  if (operation.kind === 'purchase' && params['idempotency_key'] === undefined) {
    errors['idempotency_key'] = requiredKey;
  }
  return Object.keys(errors).length === 0 ? { ok: true, params } : { ok: false, errors };
}

/** The contract's rules, and those of this sandbox where the service's documents leave a limit open. */
function fieldErrors(
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
  { webhookHosts }: ServiceState,
): FieldErrors {
  const { url, quantity } = params;
  const checked = readParams(
    operation.paramsSchema(),
    url === undefined ? params : { ...params, url: comparableUrl(url, webhookHosts) },
  );
  const errors: FieldErrors = checked.ok ? {} : checked.errors;
  if (typeof quantity === 'number' && quantity > maxQuantity) {
    errors['quantity'] = `must be at most ${maxQuantity} in this sandbox`;
  }
  if (typeof url === 'string' && hasCredentials(url)) {
    errors['url'] =
      'must not contain a user name or password: they would be in logs; verify the signature instead';
  }
  return errors;
}

const missingParameters = (errors: FieldErrors): HttpResponse =>
  failure(400, 'BAD_REQUEST', `Required query parameters are missing: ${Object.keys(errors).join(', ')}.`);

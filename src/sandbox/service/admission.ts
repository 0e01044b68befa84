import { type FieldErrors, validateParams } from '../../contract/validate-params.js';
import type { Account } from './accounts.js';
import { authenticate } from './authenticate.js';
import type { ParsedRequest } from './parse-request.js';
import { rulesFor } from './rate-limits.js';
import { failure, type HttpResponse, invalid, methodNotAllowed, rateLimited } from './responses.js';
import type { Route } from './routes.js';
import type { ServiceState } from './service-state.js';

/** A request that may be worked on, or the response that turns it away. */
export type Admission =
  | {
      readonly ok: true;
      readonly account: Account;
      readonly route: Route;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly response: HttpResponse };

const refused = (response: HttpResponse): Admission => ({ ok: false, response });

const requiredKey = 'is required: a unique value for this purchase attempt';
const requiredClient = 'is required: the account identifier issued at registration';

/**
 * The checks that every request passes, in this order (service.md gives the rules, and leaves their order open):
 *
 * 1. rate limits, by what the request claims of itself: 429
 * 2. path and method: 404, 405
 * 3. key: known, not suspended, from an allowed address: 401; of the right kind: 403
 * 4. body: a JSON object: 400
 * 5. client_id, when given: registered and the key's own: 403
 * 6. purchases: account in good standing: 403
 * 7. fields, all at once: 400 for query parameters, 422 for body fields
 *
 * A purchase continues in purchase.ts: repeated key (409 or the original), biller and product (422), listed price (422),
 * provider (503), balance (402), debit. A repeat is looked for first, because neither a changed catalogue nor an
 * emptied wallet may keep a caller from what it bought.
 */
export function admit(state: ServiceState, request: ParsedRequest): Admission {
  const retryAfter = secondsToWait(state, request);
  if (retryAfter > 0) return refused(rateLimited(retryAfter));

  const { route, fields, clientId } = request;
  if (!route) return refused(failure(404, 'NOT_FOUND', `There is no endpoint at ${request.http.path}.`));
  const { operation } = route;
  if (request.http.method !== operation.method) return refused(methodNotAllowed(operation.method));

  const authentication = authenticate(
    { token: request.token, ip: request.ip, needs: operation.requiredKey },
    state.accounts,
  );
  if (!authentication.ok) return authentication;
  const { account } = authentication;

  if (!fields) return refused(failure(400, 'BAD_REQUEST', 'The body must be a JSON object.'));
  if (clientId !== undefined && state.accounts.byId(clientId) !== account) {
    return refused(
      failure(403, 'GATEWAY_ERROR', 'This client_id is not registered, or the API key is not its own.'),
    );
  }
  if (operation.kind === 'purchase' && !account.verified) {
    return refused(failure(403, 'ACCOUNT_RESTRICTED', 'This account is not permitted to transact.'));
  }

  const checked = checkFields(route, fields);
  if (checked.ok) return { ok: true, account, route, params: checked.params };
  return refused(operation.method === 'GET' ? missingParameters(checked.errors) : invalid(checked.errors));
}

function secondsToWait({ limiter, rateLimits, clock }: ServiceState, request: ParsedRequest): number {
  if (!rateLimits) return 0;
  const rules = rulesFor(
    {
      ip: request.ip,
      token: request.token,
      clientId: request.clientId,
      path: request.http.path,
      isPurchase: request.operation !== undefined && request.route?.operation.kind === 'purchase',
    },
    rateLimits,
  );
  return limiter.admit(rules, clock.now());
}

type CheckedFields =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly errors: FieldErrors };

/** Known fields only: what the service does not document it ignores, and null counts as not given. */
function checkFields(route: Route, fields: Readonly<Record<string, unknown>>): CheckedFields {
  const params: Record<string, unknown> = {};
  for (const name of route.fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) params[name] = value;
  }
  const checked = validateParams(route.operation.paramsSchema, params);
  const errors: FieldErrors = checked.ok ? {} : checked.errors;
  if (typeof fields['client_id'] !== 'string' || fields['client_id'] === '') {
    errors['client_id'] = requiredClient;
  }
  if (route.operation.kind === 'purchase' && params['idempotency_key'] === undefined) {
    errors['idempotency_key'] = requiredKey;
  }
  return Object.keys(errors).length === 0 ? { ok: true, params } : { ok: false, errors };
}

const missingParameters = (errors: FieldErrors): HttpResponse =>
  failure(400, 'BAD_REQUEST', `Required query parameters are missing: ${Object.keys(errors).join(', ')}.`);

import type { Account } from './accounts.js';
import { type HttpResponse, success } from './responses.js';
import type { ServiceState } from './service-state.js';

export function subscribe(
  state: ServiceState,
  account: Account,
  params: Readonly<Record<string, unknown>>,
): HttpResponse {
  const url = String(params['url']);
  const enabled = params['enabled'] !== false;
  const secret = state.ids.webhookSecret();
  account.subscription = { url, secret, enabled };
  state.feed.emit({ type: 'subscription', clientId: account.clientId, url, enabled });
  return success(200, { status: 'success', data: { url, secret, enabled, signature_version: 'v1' } });
}

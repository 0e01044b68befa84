import { webhookUrlProblem } from '../../contract/field-rules.js';
import { webhookSecretPrefix } from '../../contract/vocabulary.js';
import { assertOption } from '../../validation/options.js';
import type { Account, Subscription, WebhookHandler } from './accounts.js';
import { checkNames } from './fields.js';
import { type HttpResponse, success } from './responses.js';
import type { ServiceState } from './service-state.js';
import { comparableUrl, hasCredentials, type WebhookHosts } from './webhook-url.js';

/** `POST /webhooks/subscribe`. */
export function subscribe(
  state: ServiceState,
  account: Account,
  params: Readonly<Record<string, unknown>>,
): HttpResponse {
  const url = String(params['url']);
  const enabled = params['enabled'] !== false;
  const secret = state.ids.webhookSecret();
  replaceSubscription(state, account, { url, secret, enabled });
  return success(200, { status: 'success', data: { url, secret, enabled, signature_version: 'v1' } });
}

/** The address shown for deliveries to a handler: a domain that no network resolves. */
const handlerUrl = 'https://sandbox.billpay.test/webhook-handler';

const optionNames = ['url', 'handler', 'secret', 'enabled', 'clientId'];

/** Subscribes a receiver from code; `ConfigurationError` names a wrong option. */
export function subscribeFromCode(state: ServiceState, account: Account, options: unknown): Subscription {
  const { url, handler, secret, enabled = true } = checkNames('subscribe', options ?? null, optionNames);
  assertOption(
    (url === undefined) !== (handler === undefined),
    'url',
    'or handler is needed, one of the two: the address of a receiver, or a function to call instead',
  );
  assertOption(typeof enabled === 'boolean', 'enabled', 'must be true or false');
  const target =
    handler === undefined
      ? { url: checkedUrl(url, state.webhookHosts) }
      : { url: handlerUrl, handler: checkedHandler(handler), fromHandler: true };
  const subscription: Subscription = {
    ...target,
    secret: secret === undefined ? secretFor(state, account, target.url) : checkedSecret(secret),
    enabled,
  };
  replaceSubscription(state, account, subscription);
  return subscription;
}

/** A receiver that is subscribed again, such as at each start with one state file, keeps the secret that it verifies with. */
function secretFor(state: ServiceState, { subscription }: Account, url: string): string {
  return subscription?.url === url ? subscription.secret : state.ids.webhookSecret();
}

const interceptNames = ['handler', 'url', 'secret', 'clientId'];

/** Replaces a client's subscription; `ConfigurationError` names a wrong option. */
export function interceptorFromCode(state: ServiceState, account: Account, options: unknown): Subscription {
  const { handler, url = handlerUrl, secret } = checkNames('intercept', options ?? null, interceptNames);
  assertOption(
    typeof url === 'string' && URL.canParse(url) && !hasCredentials(url),
    'url',
    'must be the URL to show with each attempt, without a user name or password',
  );
  const own = account.subscription?.secret;
  return {
    url,
    handler: checkedHandler(handler),
    secret: secret === undefined ? (own ?? state.ids.webhookSecret()) : checkedSecret(secret),
    enabled: true,
  };
}

function replaceSubscription(state: ServiceState, account: Account, subscription: Subscription): void {
  state.commit(() => {
    account.subscription = subscription;
    const { url, enabled } = subscription;
    return { type: 'subscription', clientId: account.clientId, url, enabled };
  });
}

function checkedUrl(url: unknown, hosts: WebhookHosts): string {
  assertOption(typeof url === 'string', 'url', 'must be a string, such as http://127.0.0.1:3000/hook');
  const problem = webhookUrlProblem(String(comparableUrl(url, hosts)));
  assertOption(problem === undefined, 'url', problem ?? '');
  assertOption(!hasCredentials(url), 'url', 'must not contain a user name or password');
  return url;
}

const isHandler = (value: unknown): value is WebhookHandler => typeof value === 'function';

function checkedHandler(handler: unknown): WebhookHandler {
  assertOption(isHandler(handler), 'handler', 'must be a function of a Request that returns a Response');
  return handler;
}

function checkedSecret(secret: unknown): string {
  assertOption(
    typeof secret === 'string' && secret.startsWith(webhookSecretPrefix) && /^\S{22,}$/.test(secret),
    'secret',
    `must be ${webhookSecretPrefix} followed by at least 16 characters without whitespace`,
  );
  return secret;
}

import * as z from 'zod/mini';
import { webhookUrlProblem } from '../../contract/field-rules.js';
import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { comparableUrl, hasCredentials, type WebhookHosts } from '../deliveries/webhook-url.js';
import { webhookFields } from '../schemas/client-options.js';
import { allOptional, kind, yesNo } from '../schemas/kinds.js';
import type { Client, Subscription, WebhookHandler } from './clients.js';
import { type HttpResponse, success } from './responses.js';
import type { ServiceState } from './service-state.js';

/** Options for `sandbox.webhooks.subscribe`: either `url` or `handler`. */
export interface SandboxSubscriptionOptions {
  /** Where to deliver: https, or http on a loopback host or one of `allowWebhookHosts`. */
  readonly url?: string;
  /** A function to call instead: no port, no server. */
  readonly handler?: WebhookHandler;
  /** The signing secret, `whsec_` and at least 16 more characters (default: that of the same address if it is subscribed, else made up). */
  readonly secret?: string;
  /** Whether deliveries start at once (default true). */
  readonly enabled?: boolean;
  /** Whose webhooks (default: the default client's). */
  readonly clientId?: string;
}

/** Options for `sandbox.webhooks.intercept`. */
export interface SandboxInterceptOptions {
  /** Receives each delivery. */
  readonly handler: WebhookHandler;
  /** The URL to show with each attempt (default: an address that no network resolves). */
  readonly url?: string;
  /** The signing secret, `whsec_` and at least 16 more characters (default: the subscription's; without one, made up). */
  readonly secret?: string;
  /** Whose webhooks (default: the default client's). */
  readonly clientId?: string;
}

/** `POST /webhooks/subscribe`. */
export function subscribe(
  state: ServiceState,
  client: Client,
  params: Readonly<Record<string, unknown>>,
): HttpResponse {
  const url = String(params['url']);
  const enabled = params['enabled'] !== false;
  const secret = state.ids.webhookSecret();
  replaceSubscription(state, client, { url, secret, enabled });
  return success(200, { status: 'success', data: { url, secret, enabled, signature_version: 'v1' } });
}

/** The address shown for deliveries to a handler: a domain that no network resolves. */
const handlerUrl = 'https://sandbox.billpay.test/webhook-handler';

/** What both ways of receiving take. */
const receiverFields = allOptional({
  handler: kind<WebhookHandler>(
    (value) => typeof value === 'function',
    'must be a function of a Request that returns a Response',
    {},
  ),
  secret: webhookFields.secret,
  clientId: kind<string>((value) => typeof value === 'string', 'must be the id of a client', {
    type: 'string',
  }),
});

const subscribeSchema = optionsOf({
  ...receiverFields,
  url: z.optional(webhookFields.url),
  enabled: z._default(yesNo(), true),
} satisfies OptionShape<SandboxSubscriptionOptions>);

/** Subscribes a receiver from code; `ConfigurationError` names a wrong option. */
export function subscribeFromCode(state: ServiceState, client: Client, options: unknown): Subscription {
  const { url, handler, secret, enabled } = parseOptions(subscribeSchema, options ?? null, {
    owner: 'subscribe',
  });
  assertOption(
    (url === undefined) !== (handler === undefined),
    'url',
    'or handler is needed, one of the two: the address of a receiver, or a function to call instead',
  );
  const target =
    handler === undefined
      ? { url: checkedUrl(url, state.webhookHosts) }
      : { url: handlerUrl, handler, fromHandler: true };
  const subscription: Subscription = {
    ...target,
    secret: secret ?? secretFor(state, client, target.url),
    enabled,
  };
  replaceSubscription(state, client, subscription);
  return subscription;
}

/** A receiver that is subscribed again, such as at each start with one state file, keeps the secret that it verifies with. */
function secretFor(state: ServiceState, { subscription }: Client, url: string): string {
  return subscription?.url === url ? subscription.secret : state.ids.webhookSecret();
}

const interceptSchema = optionsOf({
  ...receiverFields,
  handler: receiverFields.handler.def.innerType,
  url: z._default(
    kind<string>(
      (value) => typeof value === 'string' && URL.canParse(value) && !hasCredentials(value),
      'must be the URL to show with each attempt, without a user name or password',
      { type: 'string' },
    ),
    handlerUrl,
  ),
} satisfies OptionShape<SandboxInterceptOptions>);

/** Replaces a client's subscription; `ConfigurationError` names a wrong option. */
export function interceptorFromCode(state: ServiceState, client: Client, options: unknown): Subscription {
  const { handler, url, secret } = parseOptions(interceptSchema, options ?? null, { owner: 'intercept' });
  const own = client.subscription?.secret;
  return { url, handler, secret: secret ?? own ?? state.ids.webhookSecret(), enabled: true };
}

function replaceSubscription(state: ServiceState, client: Client, subscription: Subscription): void {
  state.commit(() => {
    client.subscription = subscription;
    const { url, enabled } = subscription;
    return [{ type: 'subscription', clientId: client.clientId, url, enabled }];
  });
}

function checkedUrl(url: string | undefined, hosts: WebhookHosts): string {
  assertOption(url !== undefined, 'url', 'must be a string, such as http://127.0.0.1:3000/hook');
  const problem = webhookUrlProblem(String(comparableUrl(url, hosts)));
  assertOption(problem === undefined, 'url', problem ?? '');
  assertOption(!hasCredentials(url), 'url', 'must not contain a user name or password');
  return url;
}

import * as z from 'zod/mini';
import { webhookUrlProblem } from '../../contract/field-rules.js';
import { assertOption, parseOptions } from '../../validation/options.js';
import { webhookFields } from '../schemas/client-options.js';
import { expects, type FieldShape, fieldsOf } from '../schemas/fields.js';
import type { Client, Subscription, WebhookHandler } from './clients.js';
import { type HttpResponse, success } from './responses.js';
import type { ServiceState, WebhookHosts } from './service-state.js';

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

/** `POST /webhooks/subscribe`. */
export function subscribe(
  state: ServiceState,
  client: Client,
  params: Readonly<Record<string, unknown>>,
): HttpResponse {
  const url = String(params['url']);
  const enabled = params['enabled'] !== false;
  const secret = newSecret(state, client);
  replaceSubscription(state, client, { url, secret, enabled });
  return success(200, { status: 'success', data: { url, secret, enabled, signature_version: 'v1' } });
}

function newSecret({ ids }: ServiceState, client: Client): string {
  client.secrets += 1;
  return ids.webhookSecret(client.clientId, client.secrets);
}

/** The address shown for deliveries to a handler: a domain that no network resolves. */
const handlerUrl = 'https://sandbox.billpay.test/webhook-handler';

const subscribeSchema = fieldsOf({
  ...webhookFields,
  handler: z.optional(
    z.custom<WebhookHandler>(
      (value) => typeof value === 'function',
      expects('must be a function of a Request that returns a Response'),
    ),
  ),
} satisfies FieldShape<SandboxSubscriptionOptions>);

/** Subscribes a receiver from code; `ConfigurationError` names a wrong option. */
export function subscribeFromCode(state: ServiceState, client: Client, options: unknown): Subscription {
  const {
    url,
    handler,
    secret,
    enabled = true,
  } = parseOptions(subscribeSchema, options ?? null, {
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
  // A receiver that is subscribed again, such as at each start with one state file, keeps the secret that it verifies with.
  const own = client.subscription?.url === target.url ? client.subscription.secret : undefined;
  const subscription = { ...target, secret: secret ?? own ?? newSecret(state, client), enabled };
  replaceSubscription(state, client, subscription);
  return subscription;
}

function replaceSubscription({ changes }: ServiceState, client: Client, subscription: Subscription): void {
  changes.commit(() => {
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

/** Whether a URL has a user name or a password in it. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** The url for the contract's check, which accepts http on loopback hosts only: an allowed host counts as https. */
export function comparableUrl(url: unknown, allowed: WebhookHosts): unknown {
  if (typeof url !== 'string' || !URL.canParse(url)) return url;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && allowed.has(hostname.toLowerCase()) ? url.replace(/^http:/i, 'https:') : url;
}

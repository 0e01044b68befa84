import { isLoopbackHost, webhookUrlProblem } from '../../contract/field-rules.js';
import { webhookHeaders } from '../../contract/vocabulary.js';
import { ConfigurationError } from '../../errors/base.js';
import { readProperty } from '../../utils/unknown.js';
import { signWebhook } from '../../webhooks/sign.js';
import { type Answer, failed, ok, skipped, warning } from './finding.js';

interface Endpoint {
  readonly url: string | undefined;
  readonly secret: string | undefined;
  readonly baseUrl: string | undefined;
}

/** A response that takes longer than this is not prompt, in ms. */
const promptMs = 5000;

const yearMs = 365 * 86_400_000;

/** Whether there is a subscription, and whether its receiver takes a signed delivery and refuses forged ones. */
export async function checkWebhook({ url, secret, baseUrl }: Endpoint): Promise<Answer> {
  if (url === undefined)
    return skipped(
      'no endpoint was given: name it with --webhook-url or BILLPAY_WEBHOOK_URL, if your shop receives webhooks',
    );
  if (secret === undefined)
    return failed(
      'BILLPAY_WEBHOOK_SECRET is not set: subscribe the endpoint with billpay.webhooks.subscribe, which returns the secret once',
    );
  const problem = webhookUrlProblem(url);
  if (problem !== undefined) return failed(`the address of the endpoint ${problem}`);
  const isLocal = (address: string) => isLoopbackHost(new URL(address).hostname);
  if (isLocal(url) && baseUrl !== undefined && URL.canParse(baseUrl) && !isLocal(baseUrl))
    return failed(
      'the endpoint is an address of this machine, which the service cannot reach: subscribe the public address of your receiver, and give it here',
    );
  try {
    return await tryReceiver(url, secret);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return failed(error.message.replace(/^secret:/, 'BILLPAY_WEBHOOK_SECRET:'));
  }
}

async function tryReceiver(url: string, secret: string): Promise<Answer> {
  const body = testBody();
  const headers = signWebhook({ body, secret });
  const signed = await deliver(url, body, headers);
  const problem = problemWithSigned(signed);
  if (problem) return problem;
  const { [webhookHeaders.signature]: _, ...unsigned } = headers;
  const forgeries = {
    'a delivery whose signature is wrong': { ...unsigned, [webhookHeaders.signature]: '0'.repeat(64) },
    'a delivery without a signature': unsigned,
    'a signed delivery that is a year old': signWebhook({
      body,
      secret,
      timestamp: new Date(Date.now() - yearMs),
    }),
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    const { status, failure } = await deliver(url, body, forged);
    if (status >= 200 && status < 300)
      return failed(
        `the endpoint accepts ${what} (${status}), so anybody can send a success for free: verify every delivery, such as with createWebhookHandler of billpay/webhooks`,
      );
    if (status === 400 && signed.status === 400)
      return warning(
        `the endpoint responds with 400 to a signed delivery and to ${what}, so it cannot be seen whether it verifies: read its log, because something before it may refuse every request, such as a check of the host name`,
      );
    if (status < 400 || status >= 500)
      return warning(`the endpoint responds with ${failure ?? status} to ${what}: respond with 401`);
  }
  return signed.ms > promptMs
    ? warning(
        `the endpoint took ${signed.ms} ms to respond: respond first and work later, or deliveries are repeated`,
      )
    : ok('the endpoint takes a signed delivery, and refuses forged, unsigned and old ones');
}

/**
 * A delivery whose text changes when it is parsed and written again, so that a receiver that does not verify the raw body is found out. It
 * is about no transaction, and no service sends its event, so a receiver has no handler for it.
 */
function testBody(): string {
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const data = `{"reference":"billpay-doctor-${crypto.randomUUID()}","status":"success","service_type":"DOCTOR","amount":0.00,"token":null,"completed_at":"${at}","metadata":{"note":"\\u00e9"}}`;
  return `{"event":"billpay.doctor","timestamp":"${at}","signature_version":"v1","data":${data}}`;
}

/** The response to a delivery; status 0 where there was none. */
interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly failure?: string;
}

async function deliver(url: string, body: string, headers: Record<string, string>): Promise<Reply> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(10_000);
  try {
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, ms: Math.round(performance.now() - startedAt) };
  } catch (error) {
    const cause = readProperty(error, 'cause') ?? error;
    return { status: 0, ms: 0, failure: String(readProperty(cause, 'code') || readProperty(cause, 'name')) };
  }
}

const remedies: Readonly<Record<number, string>> = {
  401: 'give the receiver the secret of the current subscription, and the raw body: no JSON parser may run before it',
  403: 'let requests through that carry no cookie or token: the signature authenticates them',
  404: 'route POST requests of this path to the receiver',
  405: 'route POST requests of this path to the receiver',
};

/** What the response to a signed delivery shows; undefined where it was taken. An event that a receiver does not know may be a 400. */
function problemWithSigned({ status, failure }: Reply): Answer | undefined {
  if (status === 0)
    return failed(
      `the endpoint does not respond (${failure}): start the receiver, and check its address, DNS, certificate and firewall`,
    );
  if (status === 400 || (status >= 200 && status < 300)) return undefined;
  const usual =
    status < 400
      ? 'subscribe the final address, because the service follows no redirects'
      : 'read the log of the receiver: often the raw body is not available';
  return failed(`the endpoint responds with ${status} to a signed delivery: ${remedies[status] ?? usual}`);
}

import { webhookUrlProblem } from '../contract/field-rules.js';
import { webhookHeaders } from '../contract/vocabulary.js';
import { secretProblem } from '../webhooks/secret.js';
import { signWebhook } from '../webhooks/sign.js';
import { type Finding, failed, type Outcome, ok, skipped, warning } from './finding.js';
import { type Probe, probe } from './network-checks.js';

/** The name of the event of a test delivery. No service sends it, so a receiver has no handler for it. */
export const testEvent = 'billpay.doctor';

/** A response that takes longer than this is not prompt, in ms. */
const promptMs = 5000;

/** Examines a webhook endpoint with one signed delivery and one whose signature is wrong. Neither is about a transaction. */
export async function* checkWebhook(
  url: string | undefined,
  secret: string | undefined,
): AsyncGenerator<Finding> {
  const check = 'webhook';
  const problem = url === undefined ? undefined : endpointProblem(url, secret);
  if (url === undefined || problem) {
    const remedy = 'name it with --webhook-url or BILLPAY_WEBHOOK_URL';
    yield { check, ...(problem ?? skipped('no endpoint was given', remedy)) };
    return;
  }
  const response = await deliver(url, secret);
  const delivered = judgeDelivery(response);
  // A receiver that refuses the right signature says nothing by refusing a wrong one.
  if (delivered.status === 'failed') {
    yield { check, ...delivered };
    return;
  }
  const forged = await deliver(url, secret, { [webhookHeaders.signature]: '0'.repeat(64) });
  if (isSameRefusal(response, forged)) {
    const unclear = warning(
      'the endpoint responds with 400 to a signed and to a forged delivery alike, so it cannot be seen whether it verifies',
      'read the log of the receiver: something before it may refuse every request, such as a check of the host name',
    );
    yield { check, ...unclear };
    return;
  }
  yield { check, ...delivered };
  yield { check: 'webhook-signature', ...judgeForgery(forged) };
}

function endpointProblem(url: string, secret: string | undefined): Outcome | undefined {
  const problem = webhookUrlProblem(url);
  if (problem !== undefined)
    return failed(`the address of the endpoint ${problem}`, 'use the address that you subscribe with');
  const [message, ...remedy] = secretProblem(secret)?.message.split(': ') ?? [];
  return message === undefined ? undefined : failed(message, remedy.join(': '));
}

/** A 400 may be the response to an event that the receiver does not know, but then a forged one gets another. */
const isSameRefusal = (signed: Probe, forged: Probe): boolean =>
  signed.kind === 'response' && signed.status === 400 && forged.kind === 'response' && forged.status === 400;

/**
 * A delivery whose text changes when it is parsed and written again, so that a receiver that does not verify the raw body
 * is found out.
 */
function testBody(): string {
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const data = `{"reference":"billpay-doctor-${crypto.randomUUID()}","status":"success","service_type":"DOCTOR","amount":0.00,"token":null,"completed_at":"${at}","metadata":{"note":"\\u00e9"}}`;
  return `{"event":"${testEvent}","timestamp":"${at}","signature_version":"v1","data":${data}}`;
}

function deliver(
  url: string,
  secret: string | undefined,
  replaced: Record<string, string> = {},
): Promise<Probe> {
  const body = testBody();
  return probe(url, { method: 'POST', body, headers: { ...signWebhook({ body, secret }), ...replaced } });
}

export function judgeDelivery(response: Probe): Outcome {
  if (response.kind === 'failure') {
    return failed(
      `the endpoint does not respond (${response.code})`,
      'start the receiver, and check its address, DNS, certificate and firewall',
    );
  }
  const { status, sentAt, receivedAt } = response;
  if (status === 401) {
    return failed(
      'the endpoint refuses a delivery that is signed with BILLPAY_WEBHOOK_SECRET (401)',
      'give the receiver the secret of the current subscription, and the raw body: no JSON parser may run before it',
    );
  }
  if (status === 400 || (status >= 200 && status < 300)) {
    const ms = receivedAt - sentAt;
    return ms > promptMs
      ? warning(
          `the endpoint took ${ms} ms to respond`,
          'respond first and work later: the service repeats deliveries that do not get a prompt response',
        )
      : ok(`the endpoint verified a signed test delivery (${status})`);
  }
  return failed(`the endpoint responded with ${status} to a signed test delivery`, deliveryRemedy(status));
}

function deliveryRemedy(status: number): string {
  if (status >= 300 && status < 400) return 'subscribe the final address: the service follows no redirects';
  if (status === 403)
    return 'let requests through that carry no cookie or token: the signature authenticates them';
  if (status === 404 || status === 405) return 'route POST requests of this path to the receiver';
  if (status === 500) return 'read the log line of the receiver: often the raw body is not available';
  return 'respond with 200, or with 400 to what is not a delivery';
}

export function judgeForgery(response: Probe): Outcome {
  if (response.kind === 'failure') return warning(`no response (${response.code})`, 'run the doctor again');
  const { status } = response;
  if (status >= 200 && status < 300) {
    return failed(
      `the endpoint accepts a delivery whose signature is wrong (${status})`,
      'verify every delivery, such as with createWebhookHandler of billpay/webhooks: anybody can send a success for free',
    );
  }
  return status >= 400 && status < 500
    ? ok(`the endpoint refuses a wrong signature (${status})`)
    : warning(`the endpoint responds with ${status} to a wrong signature`, 'respond with 401');
}

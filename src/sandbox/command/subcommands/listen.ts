import { anyText, textThat } from '../../../cli/flags.js';
import { CommandError } from '../../../cli/program.js';
import { untilEnded } from '../../../cli/terminal.js';
import { isRecord } from '../../../utils/is-record.js';
import { readProperty } from '../../../utils/read-property.js';
import { verifyWebhook } from '../../../webhooks/verify.js';
import type { ReceiverEnd } from '../../control/forwarding.js';
import { readEvents } from '../../control/read-events.js';
import { readReply } from '../../deliveries/reply.js';
import type { ControlClient } from '../control-client.js';
import { printable, safe } from '../facts.js';
import { inLines, type SubcommandCall, subcommandRunner } from './subcommand.js';

const isForwardable = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !new URL(text).username;

const flags = {
  'forward-to': {
    value: 'URL',
    schema: textThat(
      isForwardable,
      'must be an http or https URL without a user name, such as http://localhost:3000/webhooks',
    ),
    help: 'Post each delivery to this URL (default: print it and respond 200)',
  },
  client: {
    value: 'ID',
    schema: anyText,
    help: 'The client whose webhooks they are (default: the default client)',
  },
  secret: {
    value: 'SECRET',
    schema: anyText,
    isSecret: true,
    help: "Sign with this whsec_ secret (default: the subscription's, else a new one)",
  },
} as const;

type ListenCall = SubcommandCall<typeof flags>;

/** A delivery as the stream of the control API sends it. */
interface Delivery {
  readonly id: string;
  /** Now, by the sandbox's clock. */
  readonly now: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact body. */
  readonly body: string;
}

/** A connection that was lost is opened again after so many ms. */
const reconnectMs = 1000;

/** No receiver is waited for any longer than this; the sandbox itself has stopped waiting before. */
const maxResponseMs = 60_000;

async function forward(url: string | undefined, { headers, body }: Delivery): Promise<ReceiverEnd> {
  if (url === undefined) return { status: 200 };
  try {
    const signal = AbortSignal.timeout(maxResponseMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const reply = response.ok ? undefined : await readReply(response);
    if (response.ok) await response.body?.cancel();
    return { status: response.status, ...(reply !== undefined && { body: reply }) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { error: cause instanceof Error ? cause.message || cause.name : String(cause) };
  }
}

/** Why a delivery does not verify; undefined for one that does. */
function verificationProblem({ body, headers, now }: Delivery, secret: string): string | undefined {
  try {
    verifyWebhook({ body, headers, secret, now: new Date(now) });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Prints, verifies and forwards one delivery, and reports the result to the sandbox. */
async function passOn(
  { control, json, paint, print }: ListenCall,
  delivery: Delivery,
  secret: string,
  url: string | undefined,
): Promise<void> {
  const { id, now: at, headers, body } = delivery;
  const problem = verificationProblem(delivery, secret);
  const started = performance.now();
  const result = await forward(url, delivery);
  const ms = Math.round(performance.now() - started);
  const event = headers['x-service-event'] ?? '';
  const reference = readProperty(readProperty(JSON.parse(body), 'data'), 'reference');
  const verified = problem === undefined;
  if (json) {
    print(JSON.stringify({ type: 'delivery', at, event, reference, verified, problem, url, ...result, ms }));
  } else {
    const { status = 0, error, body: reply = '' } = result;
    const shown = paint(status >= 200 && status < 300 ? 'green' : 'red', String(status || '---'));
    const head = `${shown} <- ${safe(event)} ${safe(String(reference))} ${paint('dim', `${ms} ms`)}`;
    const details = [
      error && safe(error),
      printable(reply.replaceAll(/\s+/g, ' ').trim()),
      !verified && paint('red', `not verified: ${problem}`),
    ].filter(Boolean);
    print(...inLines([head, ...details].join('  ')));
  }
  // The sandbox may have stopped waiting meanwhile, which it says in its own log.
  await control.send('POST', `/listen/${id}`, result).catch(() => undefined);
}

/** Listens until the connection ends; `onReady` is called once the sandbox sends deliveries. */
async function listenOnce(
  call: ListenCall,
  clientId: string,
  url: string | undefined,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const { given, control, json, print } = call;
  const path = `/clients/${encodeURIComponent(clientId)}/listen`;
  const response = await control.open('POST', path, { secret: given.secret, url }, signal);
  if (!response.body) return;
  let secret = '';
  for await (const { name, data } of readEvents(response.body)) {
    if (name === 'ready' && isRecord(data)) {
      secret = String(data['secret']);
      onReady();
      if (json) print(JSON.stringify({ type: 'ready', client_id: clientId, secret, forward_to: url }));
      else {
        print(...inLines(`Webhooks of ${clientId} at ${control.origin}. Ctrl-C ends it.`));
        if (url !== undefined) print(...inLines(`Forwarding to ${url}`));
        print(`BILLPAY_WEBHOOK_SECRET=${secret}`);
      }
    }
    // Deliveries are passed on at the same time, as separate requests would be.
    if (name === 'delivery') void passOn(call, data as Delivery, secret, url);
  }
}

async function defaultClient(control: ControlClient): Promise<string> {
  const { default_client_id } = await control.send<{ default_client_id: string }>('GET', '/info');
  return default_client_id;
}

export const runCommand = subcommandRunner({
  name: 'sandbox listen',
  description: [
    "Receives a client's webhooks from a running sandbox, prints each one, verifies its signature, and forwards it unchanged to URL. The receiver's response decides whether the sandbox tries again. Until the command ends it takes the place of the client's subscription, whose secret it uses; a client without a subscription gets a new secret, which is printed. It needs no port, so it also works for a sandbox in a container. A connection that is lost is opened again.",
  ],
  flags,
  examples: [
    'sandbox listen --forward-to http://localhost:3000/webhooks',
    'sandbox listen',
    'sandbox listen --client client_empty --json',
  ],
  run: async (call) => {
    const { given, control, around, print, json } = call;
    const url = given['forward-to'];
    const clientId = given.client ?? (await defaultClient(control));
    const ending = new AbortController();
    const ended = untilEnded(around).then(() => ending.abort());
    const { signal } = ending;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      let wasReady = false;
      try {
        await listenOnce(call, clientId, url, signal, () => {
          wasReady = true;
        });
      } catch (error) {
        // At the start, a wrong address or token must be reported; later the sandbox may only be starting again.
        if (isFirst && error instanceof CommandError) throw error;
      }
      if (signal.aborted) break;
      if (wasReady && !json) print('The connection to the sandbox was lost; trying again every second.');
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, reconnectMs))]);
    }
    return undefined;
  },
});

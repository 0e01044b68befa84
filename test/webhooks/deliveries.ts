import {
  createWebhookHandler,
  signWebhook,
  type WebhookFailure,
  type WebhookHandlerOptions,
  type WebhookLogger,
} from '../../src/webhooks/index.js';

export const secret = 'whsec_test_4f9c1d7e8b2a';

/** The body of a settlement event. */
export const bodyOf = (reference: string, event = 'transaction.completed'): string =>
  JSON.stringify({
    event,
    timestamp: '2026-01-31T09:30:00Z',
    signature_version: 'v1',
    data: {
      reference,
      status: event === 'transaction.failed' ? 'failed' : 'success',
      service_type: 'ELECTRICITY',
      amount: 500,
      token: event === 'transaction.failed' ? null : '03600873271267716521',
      completed_at: '2026-01-31T09:30:00Z',
      metadata: {},
    },
  });

export interface DeliveryParts {
  reference?: string;
  event?: string;
  body?: string;
  headers?: Record<string, string>;
  /** When it was signed (default: now). */
  timestamp?: Date;
}

/** A delivery as the service sends it, with some parts replaced. */
export function delivery({
  reference = 'TXN-1',
  event,
  body,
  headers,
  timestamp,
}: DeliveryParts = {}): Request {
  const text = body ?? bodyOf(reference, event);
  const signed = signWebhook({
    body: text,
    secret,
    event: event ?? 'transaction.completed',
    ...(timestamp && { timestamp }),
  });
  return new Request('https://shop.example/webhooks', {
    method: 'POST',
    body: text,
    headers: { ...signed, ...headers },
  });
}

/** A logger that keeps its lines. */
export function recordingLogger(): WebhookLogger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string, fields: object) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** A receiver that keeps the references that it handled, its failures and its log lines. */
export function receiver(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = [];
  const errors: unknown[] = [];
  const failures: WebhookFailure[] = [];
  const logger = recordingLogger();
  const handle = ({ data }: { data: { reference: string } }) => handled.push(data.reference);
  const handler = createWebhookHandler({
    secret,
    logger,
    on: { 'transaction.completed': handle, 'transaction.failed': handle },
    onError: (error, failure) => {
      errors.push(error);
      failures.push(failure);
    },
    ...options,
  });
  return { handler, handled, errors, failures, stages: () => failures.map(({ stage }) => stage), logger };
}

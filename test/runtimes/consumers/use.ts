import {
  type ApiCall,
  type AttemptRecord,
  BillPay,
  type BillPayOptions,
  type Catalogue,
  isBillPayError,
  type Logger,
  type Purchase,
  type Transaction,
  type ValidateResult,
  ValidationError,
  type WebhookSubscription,
} from 'billpay';
import { nodeTransport } from 'billpay/node';
import { createSandbox, type Sandbox } from 'billpay/sandbox';
import {
  createWebhookHandler,
  memoryDedupe,
  signWebhook,
  toNodeHandler,
  type UnknownWebhookEvent,
  verifyWebhook,
  type WebhookEvent,
} from 'billpay/webhooks';

const sandbox: Sandbox = createSandbox({ settleAfter: 'manual' });
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const options: BillPayOptions = {
  fetch: sandbox.fetch,
  baseUrl: sandbox.baseUrl,
  logger,
  onAttempt: ({ attempt, willRetry }: AttemptRecord) => console.log(attempt, willRetry),
};
const billpay = new BillPay(options);
export const busy = new BillPay({
  ...options,
  fetch: undefined,
  transport: nodeTransport({ maxSockets: 8 }),
});

export const buy = async (): Promise<Purchase | undefined> => {
  try {
    return await billpay.data.purchase({ biller: 'MTN', recipient: '0803', product_code: 'X' });
  } catch (error) {
    if (isBillPayError(error) && error.code === 'VALIDATION_FAILED') console.log(error.errors['recipient']);
    if (error instanceof ValidationError) console.log(error.errors, error.mayHaveCharged);
    if (isBillPayError(error)) {
      switch (error.name) {
        case 'RateLimitError': {
          const seconds: number | undefined = error.retryAfterSeconds;
          console.log(seconds);
          break;
        }
        case 'IdempotencyKeyReusedError': {
          const { reference }: Purchase = error.purchase;
          console.log(reference);
          break;
        }
        default:
          console.log(error.idempotencyKey);
      }
    }
    return undefined;
  }
};

export const calls = async () => {
  const airtime: ApiCall<Purchase> = billpay.airtime.purchase({ biller: 'T2', recipient: '0803', amount: 5 });
  const { data, response, attempts } = await airtime.withResponse();
  const status: number = response.status;
  const catalogue: Catalogue = await billpay.tv.products({ biller: 'DSTV' });
  const person: ValidateResult = await billpay.edu.validate({ biller: 'JAMB', recipient: '1' });
  const transaction: Transaction = await billpay.transactions.status(data.reference, { timeout: 1 });
  const subscription: WebhookSubscription = await billpay.webhooks.subscribe({ url: 'https://example.com' });
  return { status, attempts, catalogue, person, transaction, subscription };
};

const event: WebhookEvent = verifyWebhook({
  body: '',
  headers: signWebhook({ body: '', secret: 'whsec_4f9c1d7e8b2a0c3d' }),
  secret: 'whsec_4f9c1d7e8b2a0c3d',
});
export const text: string = event.data.reference;

/** Documented strings can be compared in every supported compiler, and so can strings that are not documented. */
export function narrowed(transaction: Transaction): string {
  const { transaction_status: status } = transaction;
  if (status === 'success' || status === 'failed') {
    const final: string = status;
    return final;
  }
  switch (event.event) {
    case 'transaction.completed':
      return event.data.completed_at;
    case 'transaction.failed':
      return event.data.status;
    default: {
      const unknown: UnknownWebhookEvent = event;
      return String(unknown.event);
    }
  }
}

export const handler = toNodeHandler(
  createWebhookHandler({
    secret: 'whsec_4f9c1d7e8b2a0c3d',
    dedupe: memoryDedupe(),
    on: { 'transaction.completed': () => {} },
  }),
);

// @ts-expect-error A number would lose its leading zero.
billpay.airtime.purchase({ biller: 'MTN', recipient: 8031234567, amount: 5 });
// @ts-expect-error There is no such option.
export const wrong = new BillPay({ apikey: 'sk_x' });
// @ts-expect-error The meter type is one of two.
billpay.electricity.purchase({ biller: 'AEDC', recipient: '1', amount: 1, meter_type: 'neither' });

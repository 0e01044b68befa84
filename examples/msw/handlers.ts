import type { Catalogue, Purchase, Transaction, ValidateResult, WebhookSubscription } from 'billpay';
import { HttpResponse, http } from 'msw';

/** The parameters of a purchase, as they are sent. */
type Bought = {
  client_id: string;
  biller: string;
  recipient: string;
  amount?: number;
  idempotency_key: string;
};
type Accepted = {
  status: 'pending';
  code: 'PROCESSING';
  message: string;
  data: Omit<Purchase, 'status' | 'idempotency_key' | 'differences'>;
};
type Success<Fields> = { status: 'success' } & Fields;

const reference = 'TXN-20260131-000001';
const created_at = '2026-01-31 10:30:00';
const queryOf = (request: Request, name: string) => new URL(request.url).searchParams.get(name) ?? '';

/** The service with a good day: one handler for each kind of call. */
export const handlers = [
  http.post<{ product: string }, Bought, Accepted>('*/:product/purchase', async ({ request }) => {
    const { biller, recipient, amount = 1500 } = await request.json();
    const bought = { reference, biller, recipient, amount, created_at };
    return HttpResponse.json(
      {
        status: 'pending',
        code: 'PROCESSING',
        message: 'Your purchase is being processed',
        data: { ...bought, channel: 'API_GATEWAY', currency: 'NGN' },
      },
      { status: 202 },
    );
  }),
  http.get<{ product: string }, never, Success<Catalogue>>('*/:product/products', ({ request }) =>
    HttpResponse.json({
      status: 'success',
      biller: queryOf(request, 'biller'),
      products: [{ product_code: 'MTN-2GB-D', name: '2GB daily', amount: 750 }],
    }),
  ),
  http.post<{ product: string }, object, Success<ValidateResult>>('*/:product/validate', ({ params }) =>
    HttpResponse.json({
      status: 'success',
      customer_name: 'ADA OBI',
      ...(params.product === 'electricity' && { address: '4 Marina Road, Lagos' }),
    }),
  ),
  http.get<never, never, Success<{ data: Transaction }>>('*/transactions/status', ({ request }) =>
    HttpResponse.json({
      status: 'success',
      data: {
        reference: queryOf(request, 'reference'),
        transaction_status: 'success',
        amount: 500,
        amount_charged: 500,
        service_amount: 510,
        commission: 10,
        commission_received: 10,
        service_type: 'VTU_AIRTIME',
        biller: 'MTN',
        token: null,
        created_at,
        updated_at: created_at,
        completed_at: created_at,
        refunded: false,
      },
    }),
  ),
  http.post<never, { url: string; enabled?: boolean }, Success<{ data: WebhookSubscription }>>(
    '*/webhooks/subscribe',
    async ({ request }) => {
      const { url, enabled = true } = await request.json();
      const secret = 'whsec_0123456789abcdef0123456789abcdef';
      return HttpResponse.json({
        status: 'success',
        data: { url, secret, enabled, signature_version: 'v1' },
      });
    },
  ),
];

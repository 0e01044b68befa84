/**
 * The bodies of the service's documented responses, complete in every field: one place for every fake service of the tests. Each takes what
 * differs. The sandbox writes its own, because the tests compare it with these.
 */

/** The purchase that the tests make. */
export const airtime = { biller: 'MTN', recipient: '08031234567', amount: 500 } as const;

const accepted = {
  reference: 'TXN-1',
  recipient: airtime.recipient,
  biller: airtime.biller,
  amount: airtime.amount,
  channel: 'API_GATEWAY',
  currency: 'NGN',
  created_at: '2026-01-31 10:30:00',
} as const;

/** 202: a purchase was accepted. */
export const acceptance = <D extends object>(data?: D) => ({
  status: 'pending' as const,
  code: 'PROCESSING' as const,
  message: 'Your purchase is being processed',
  data: { ...accepted, ...(data as D) },
});

/** 200: the products of a biller. */
export const catalogue = (...products: readonly object[]) => ({
  status: 'success' as const,
  biller: 'MTN',
  products: products.length > 0 ? products : [{ product_code: 'MTN-1', name: '1GB', amount: 350 }],
});

/** 200: a recipient was confirmed; meters come with an address. */
export const confirmation = (address?: string) => ({
  status: 'success' as const,
  customer_name: 'ADA OBI',
  ...(address !== undefined && { address }),
});

/** 200: the state of a transaction. */
export const transaction = <S extends string, D extends object>(transaction_status: S, data?: D) => ({
  status: 'success' as const,
  data: {
    reference: accepted.reference,
    transaction_status,
    amount: 500,
    amount_charged: 500,
    service_amount: 510,
    commission: 10,
    commission_received: 10,
    service_type: 'VTU_AIRTIME',
    biller: accepted.biller,
    network: accepted.biller,
    token: null as string | null,
    created_at: accepted.created_at,
    updated_at: accepted.created_at,
    refunded: transaction_status === 'failed',
    ...(data as D),
  },
});

/** A webhook subscription with its one-time secret. */
export const subscription = (data: object = {}) => ({
  status: 'success' as const,
  data: {
    url: 'https://shop.test/hook',
    secret: 'whsec_4f9c1d7e8b2a0c3d',
    enabled: true,
    signature_version: 'v1' as const,
    ...data,
  },
});

/** The envelope of every documented error. */
export const refusal = (code: string, fields: object = {}) => ({
  status: 'error' as const,
  code,
  message: 'The request was refused.',
  ...fields,
});

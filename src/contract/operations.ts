import type * as z from 'zod/mini';
import * as params from './params.js';
import * as results from './results.js';
import type { KeyKind, Product } from './vocabulary.js';

/** What a repeat may do: a `read` changes nothing, a `purchase` is safe under its key, a `subscribe` is not. */
export type OperationKind = 'read' | 'purchase' | 'subscribe';

/** One endpoint of the service. */
export interface Operation<Params = unknown, Envelope = unknown> {
  /** The HTTP method; any other is answered 405 with `Allow`. */
  readonly method: 'GET' | 'POST';
  /** Relative to the base address. */
  readonly path: string;
  /** The least key that may call it: `public` calls take either. */
  readonly key: KeyKind;
  readonly kind: OperationKind;
  /** The product family, where there is one. */
  readonly product?: Product;
  /** The HTTP status of a success, as the sandbox answers it. The client takes any 2xx. */
  readonly successStatus: 200 | 202;
  /** What a caller gives (client_id, which the client adds, aside). */
  readonly params: z.ZodMiniType<Params>;
  /** What a success is documented to look like. */
  readonly result: z.ZodMiniType<Envelope>;
  /** Where the caller's result lies in it: `acceptance` is `data` with the envelope's status, `flat` the body itself. */
  readonly envelope: 'acceptance' | 'data' | 'flat';
  /** Paths in the answer that a caller cannot do without; `*` stands for every element. */
  readonly essential: readonly string[];
}

/** Parameters, answer on the wire and result for the caller of every operation, by name. */
export interface OperationTypes {
  'airtime.purchase': [params.AirtimePurchaseParams, results.AcceptanceEnvelope, results.Purchase];
  'data.products': [params.DataProductsParams, results.CatalogueEnvelope, results.Catalogue];
  'data.purchase': [params.DataPurchaseParams, results.AcceptanceEnvelope, results.Purchase];
  'tv.validate': [params.TvValidateParams, results.ValidateEnvelope, results.ValidateResult];
  'tv.products': [params.TvProductsParams, results.CatalogueEnvelope, results.Catalogue];
  'tv.purchase': [params.TvPurchaseParams, results.AcceptanceEnvelope, results.Purchase];
  'electricity.validate': [
    params.ElectricityValidateParams,
    results.ValidateEnvelope,
    results.ValidateResult,
  ];
  'electricity.purchase': [params.ElectricityPurchaseParams, results.AcceptanceEnvelope, results.Purchase];
  'edu.validate': [params.EduValidateParams, results.ValidateEnvelope, results.ValidateResult];
  'edu.products': [params.EduProductsParams, results.CatalogueEnvelope, results.Catalogue];
  'edu.purchase': [params.EduPurchaseParams, results.AcceptanceEnvelope, results.Purchase];
  'transactions.status': [params.TransactionStatusParams, results.TransactionEnvelope, results.Transaction];
  'webhooks.subscribe': [
    params.WebhookSubscribeParams,
    results.SubscriptionEnvelope,
    results.WebhookSubscription,
  ];
}

/** The name of an operation, as it stands on errors and attempt records. */
export type OperationName = keyof OperationTypes;

/** What a caller gives for an operation. */
export type ParamsOf<N extends OperationName> = OperationTypes[N][0];
/** What a caller gets from an operation. */
export type ResultOf<N extends OperationName> = OperationTypes[N][2];

/** The operations table: every endpoint of service.md ("Endpoints"), for client and sandbox alike. */
export type Operations = {
  readonly [N in OperationName]: Operation<OperationTypes[N][0], OperationTypes[N][1]>;
};

const purchase = {
  method: 'POST',
  key: 'secret',
  kind: 'purchase',
  successStatus: 202,
  result: results.acceptanceEnvelope,
  envelope: 'acceptance',
  essential: ['data.reference'],
} as const;

const catalogue = {
  method: 'GET',
  key: 'public',
  kind: 'read',
  successStatus: 200,
  result: results.catalogueEnvelope,
  envelope: 'flat',
  essential: ['products.*.product_code'],
} as const;

const validate = {
  method: 'POST',
  key: 'public',
  kind: 'read',
  successStatus: 200,
  result: results.validateEnvelope,
  envelope: 'flat',
  essential: [],
} as const;

export const operations: Operations = {
  'airtime.purchase': {
    ...purchase,
    path: '/airtime/purchase',
    product: 'airtime',
    params: params.airtimePurchaseParams,
  },
  'data.products': {
    ...catalogue,
    path: '/data/products',
    product: 'data',
    params: params.dataProductsParams,
  },
  'data.purchase': {
    ...purchase,
    path: '/data/purchase',
    product: 'data',
    params: params.dataPurchaseParams,
  },
  'tv.validate': { ...validate, path: '/tv/validate', product: 'tv', params: params.tvValidateParams },
  'tv.products': { ...catalogue, path: '/tv/products', product: 'tv', params: params.tvProductsParams },
  'tv.purchase': { ...purchase, path: '/tv/purchase', product: 'tv', params: params.tvPurchaseParams },
  'electricity.validate': {
    ...validate,
    path: '/electricity/validate',
    product: 'electricity',
    params: params.electricityValidateParams,
    result: results.electricityValidateEnvelope,
  },
  'electricity.purchase': {
    ...purchase,
    path: '/electricity/purchase',
    product: 'electricity',
    params: params.electricityPurchaseParams,
  },
  'edu.validate': { ...validate, path: '/edu/validate', product: 'edu', params: params.eduValidateParams },
  'edu.products': { ...catalogue, path: '/edu/products', product: 'edu', params: params.eduProductsParams },
  'edu.purchase': { ...purchase, path: '/edu/purchase', product: 'edu', params: params.eduPurchaseParams },
  'transactions.status': {
    method: 'GET',
    path: '/transactions/status',
    key: 'secret',
    kind: 'read',
    successStatus: 200,
    params: params.transactionStatusParams,
    result: results.transactionEnvelope,
    envelope: 'data',
    essential: ['data.transaction_status'],
  },
  'webhooks.subscribe': {
    method: 'POST',
    path: '/webhooks/subscribe',
    key: 'secret',
    kind: 'subscribe',
    successStatus: 200,
    params: params.webhookSubscribeParams,
    result: results.subscriptionEnvelope,
    envelope: 'data',
    essential: ['data.secret'],
  },
};

import type * as z from 'zod/mini';
import * as params from './params.js';
import * as responses from './responses.js';
import type { KeyKind, Product } from './vocabulary.js';

/**
 * What repeating a call can do: a `read` changes nothing, a `purchase` is protected by its idempotency key, a `subscribe`
 * is not protected.
 */
export type OperationKind = 'read' | 'purchase' | 'subscribe';

/** The schema of a call's parameters: an object with these fields and no others. */
export type ParamsSchema<Params = unknown> = z.ZodMiniType<Params> & {
  readonly shape: Readonly<Record<string, z.ZodMiniType>>;
};

/** One endpoint of the service. */
export interface Operation<Params = unknown, Envelope = unknown> {
  /** The HTTP method. The service refuses any other with 405 and an `Allow` header. */
  readonly method: 'GET' | 'POST';
  /** Relative to the base address. */
  readonly path: string;
  /** The kind of key that the call needs. A call for `public` keys takes a secret key too. */
  readonly requiredKey: KeyKind;
  readonly kind: OperationKind;
  /** The product family, where there is one. */
  readonly product?: Product;
  /** The HTTP status of a success, as the sandbox sends it. The client takes any 2xx. */
  readonly successStatus: 200 | 202;
  /** The caller's parameters, without `client_id`, which the client adds. Made when it is first needed, as the next one is. */
  readonly paramsSchema: () => ParamsSchema<Params>;
  /** The documented body of a success. */
  readonly responseSchema: () => z.ZodMiniType<Envelope>;
  /** Where the caller's result is in that body: `acceptance` is `data` with the envelope's status, `flat` the body itself. */
  readonly envelope: 'acceptance' | 'data' | 'flat';
  /** Paths in the response that a caller cannot do without; `*` means every element. */
  readonly requiredPaths: readonly string[];
}

/** The parameters and the result of every operation, by name. */
export interface OperationTypes {
  'airtime.purchase': [params.AirtimePurchaseParams, responses.Purchase];
  'data.products': [params.DataProductsParams, responses.Catalogue];
  'data.purchase': [params.DataPurchaseParams, responses.Purchase];
  'tv.validate': [params.TvValidateParams, responses.ValidateResult];
  'tv.products': [params.TvProductsParams, responses.Catalogue];
  'tv.purchase': [params.TvPurchaseParams, responses.Purchase];
  'electricity.validate': [params.ElectricityValidateParams, responses.ValidateResult];
  'electricity.purchase': [params.ElectricityPurchaseParams, responses.Purchase];
  'edu.validate': [params.EduValidateParams, responses.ValidateResult];
  'edu.products': [params.EduProductsParams, responses.Catalogue];
  'edu.purchase': [params.EduPurchaseParams, responses.Purchase];
  'transactions.status': [params.TransactionStatusParams, responses.Transaction];
  'webhooks.subscribe': [params.WebhookSubscribeParams, responses.WebhookSubscription];
}

/** The body of a success on the wire, by the caller's result. */
type EnvelopeOf<Result> = Result extends responses.Purchase
  ? responses.AcceptanceEnvelope
  : Result extends responses.Catalogue | responses.ValidateResult
    ? responses.FlatEnvelope<Result>
    : responses.DataEnvelope<Result>;

/** The name of an operation, as errors and attempt records carry it. */
export type OperationName = keyof OperationTypes;

/** The parameters of an operation. */
export type ParamsOf<N extends OperationName> = OperationTypes[N][0];
/** The result of an operation. */
export type ResultOf<N extends OperationName> = OperationTypes[N][1];

/** The type of the operations table. */
export type Operations = {
  readonly [N in OperationName]: Operation<ParamsOf<N>, EnvelopeOf<ResultOf<N>>>;
};

// @__NO_SIDE_EFFECTS__
function purchase<Params>(
  product: Product,
  paramsSchema: Operation<Params>['paramsSchema'],
): Operation<Params, responses.AcceptanceEnvelope> {
  return {
    method: 'POST',
    path: `/${product}/purchase`,
    requiredKey: 'secret',
    kind: 'purchase',
    product,
    successStatus: 202,
    paramsSchema,
    responseSchema: responses.acceptanceEnvelope,
    envelope: 'acceptance',
    requiredPaths: ['data.reference'],
  };
}

// @__NO_SIDE_EFFECTS__
function catalogue<Params>(
  product: Product,
  paramsSchema: Operation<Params>['paramsSchema'],
): Operation<Params, responses.FlatEnvelope<responses.Catalogue>> {
  return {
    method: 'GET',
    path: `/${product}/products`,
    requiredKey: 'public',
    kind: 'read',
    product,
    successStatus: 200,
    paramsSchema,
    responseSchema: responses.catalogueEnvelope,
    envelope: 'flat',
    requiredPaths: ['products.*.product_code'],
  };
}

// @__NO_SIDE_EFFECTS__
function validate<Params>(
  product: Product,
  paramsSchema: Operation<Params>['paramsSchema'],
  responseSchema: () => z.ZodMiniType<responses.FlatEnvelope<responses.ValidateResult>>,
): Operation<Params, responses.FlatEnvelope<responses.ValidateResult>> {
  return {
    method: 'POST',
    path: `/${product}/validate`,
    requiredKey: 'public',
    kind: 'read',
    product,
    successStatus: 200,
    paramsSchema,
    responseSchema,
    envelope: 'flat',
    requiredPaths: [],
  };
}

/** Every documented endpoint. The client and the sandbox read their paths, keys, kinds and schemas here. */
export const operations: Operations = {
  'airtime.purchase': purchase('airtime', params.airtimePurchaseParams),
  'data.products': catalogue('data', params.dataProductsParams),
  'data.purchase': purchase('data', params.dataPurchaseParams),
  'tv.validate': validate('tv', params.tvValidateParams, responses.validateEnvelope),
  'tv.products': catalogue('tv', params.tvProductsParams),
  'tv.purchase': purchase('tv', params.tvPurchaseParams),
  'electricity.validate': validate(
    'electricity',
    params.electricityValidateParams,
    responses.electricityValidateEnvelope,
  ),
  'electricity.purchase': purchase('electricity', params.electricityPurchaseParams),
  'edu.validate': validate('edu', params.eduValidateParams, responses.validateEnvelope),
  'edu.products': catalogue('edu', params.eduProductsParams),
  'edu.purchase': purchase('edu', params.eduPurchaseParams),
  'transactions.status': {
    method: 'GET',
    path: '/transactions/status',
    requiredKey: 'secret',
    kind: 'read',
    successStatus: 200,
    paramsSchema: params.transactionStatusParams,
    responseSchema: responses.transactionEnvelope,
    envelope: 'data',
    requiredPaths: ['data.transaction_status'],
  },
  'webhooks.subscribe': {
    method: 'POST',
    path: '/webhooks/subscribe',
    requiredKey: 'secret',
    kind: 'subscribe',
    successStatus: 200,
    paramsSchema: params.webhookSubscribeParams,
    responseSchema: responses.subscriptionEnvelope,
    envelope: 'data',
    requiredPaths: ['data.secret'],
  },
};

import * as params from './params.js';
import * as results from './responses.js';
import type { Schema } from './schema.js';
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
  readonly requiredKey: KeyKind;
  readonly kind: OperationKind;
  /** The product family, where there is one. */
  readonly product?: Product;
  /** The HTTP status of a success, as the sandbox answers it. The client takes any 2xx. */
  readonly successStatus: 200 | 202;
  /** What a caller gives (client_id, which the client adds, aside). */
  readonly paramsSchema: Schema<Params>;
  /** What a success is documented to look like. */
  readonly responseSchema: Schema<Envelope>;
  /** Where the caller's result lies in it: `acceptance` is `data` with the envelope's status, `flat` the body itself. */
  readonly envelope: 'acceptance' | 'data' | 'flat';
  /** Paths in the answer that a caller cannot do without; `*` stands for every element. */
  readonly requiredPaths: readonly string[];
}

/** Parameters and result for the caller of every operation, by name. */
export interface OperationTypes {
  'airtime.purchase': [params.AirtimePurchaseParams, results.Purchase];
  'data.products': [params.DataProductsParams, results.Catalogue];
  'data.purchase': [params.DataPurchaseParams, results.Purchase];
  'tv.validate': [params.TvValidateParams, results.ValidateResult];
  'tv.products': [params.TvProductsParams, results.Catalogue];
  'tv.purchase': [params.TvPurchaseParams, results.Purchase];
  'electricity.validate': [params.ElectricityValidateParams, results.ValidateResult];
  'electricity.purchase': [params.ElectricityPurchaseParams, results.Purchase];
  'edu.validate': [params.EduValidateParams, results.ValidateResult];
  'edu.products': [params.EduProductsParams, results.Catalogue];
  'edu.purchase': [params.EduPurchaseParams, results.Purchase];
  'transactions.status': [params.TransactionStatusParams, results.Transaction];
  'webhooks.subscribe': [params.WebhookSubscribeParams, results.WebhookSubscription];
}

/** What a success looks like on the wire, by what the caller gets of it. */
type EnvelopeOf<Result> = Result extends results.Purchase
  ? results.AcceptanceEnvelope
  : Result extends results.Catalogue
    ? results.CatalogueEnvelope
    : Result extends results.ValidateResult
      ? results.ValidateEnvelope
      : Result extends results.Transaction
        ? results.TransactionEnvelope
        : results.SubscriptionEnvelope;

/** The name of an operation, as it stands on errors and attempt records. */
export type OperationName = keyof OperationTypes;

/** What a caller gives for an operation. */
export type ParamsOf<N extends OperationName> = OperationTypes[N][0];
/** What a caller gets from an operation. */
export type ResultOf<N extends OperationName> = OperationTypes[N][1];

/** The operations table: every endpoint of service.md ("Endpoints"), for client and sandbox alike. */
export type Operations = {
  readonly [N in OperationName]: Operation<ParamsOf<N>, EnvelopeOf<ResultOf<N>>>;
};

/** An operation whose schemas are made when they are first asked for. */
const define = <Params, Envelope>(
  fixed: Omit<Operation, 'paramsSchema' | 'responseSchema'>,
  params: () => Schema<Params>,
  result: () => Schema<Envelope>,
): Operation<Params, Envelope> => ({
  ...fixed,
  get paramsSchema() {
    return params();
  },
  get responseSchema() {
    return result();
  },
});

const purchase = <Params>(product: Product, params: () => Schema<Params>) =>
  define(
    {
      method: 'POST',
      path: `/${product}/purchase`,
      requiredKey: 'secret',
      kind: 'purchase',
      product,
      successStatus: 202,
      envelope: 'acceptance',
      requiredPaths: ['data.reference'],
    },
    params,
    results.acceptanceEnvelope,
  );

const catalogue = <Params>(product: Product, params: () => Schema<Params>) =>
  define(
    {
      method: 'GET',
      path: `/${product}/products`,
      requiredKey: 'public',
      kind: 'read',
      product,
      successStatus: 200,
      envelope: 'flat',
      requiredPaths: ['products.*.product_code'],
    },
    params,
    results.catalogueEnvelope,
  );

const validate = <Params, Envelope>(
  product: Product,
  params: () => Schema<Params>,
  result: () => Schema<Envelope>,
) =>
  define(
    {
      method: 'POST',
      path: `/${product}/validate`,
      requiredKey: 'public',
      kind: 'read',
      product,
      successStatus: 200,
      envelope: 'flat',
      requiredPaths: [],
    },
    params,
    result,
  );

export const operations: Operations = {
  'airtime.purchase': purchase('airtime', params.airtimePurchaseParams),
  'data.products': catalogue('data', params.dataProductsParams),
  'data.purchase': purchase('data', params.dataPurchaseParams),
  'tv.validate': validate('tv', params.tvValidateParams, results.validateEnvelope),
  'tv.products': catalogue('tv', params.tvProductsParams),
  'tv.purchase': purchase('tv', params.tvPurchaseParams),
  'electricity.validate': validate(
    'electricity',
    params.electricityValidateParams,
    results.electricityValidateEnvelope,
  ),
  'electricity.purchase': purchase('electricity', params.electricityPurchaseParams),
  'edu.validate': validate('edu', params.eduValidateParams, results.validateEnvelope),
  'edu.products': catalogue('edu', params.eduProductsParams),
  'edu.purchase': purchase('edu', params.eduPurchaseParams),
  'transactions.status': define(
    {
      method: 'GET',
      path: '/transactions/status',
      requiredKey: 'secret',
      kind: 'read',
      successStatus: 200,
      envelope: 'data',
      requiredPaths: ['data.transaction_status'],
    },
    params.transactionStatusParams,
    results.transactionEnvelope,
  ),
  'webhooks.subscribe': define(
    {
      method: 'POST',
      path: '/webhooks/subscribe',
      requiredKey: 'secret',
      kind: 'subscribe',
      successStatus: 200,
      envelope: 'data',
      requiredPaths: ['data.secret'],
    },
    params.webhookSubscribeParams,
    results.subscriptionEnvelope,
  ),
};

import type { WebhookTransaction } from '../../../src/contract/events.js';
import type {
  AirtimePurchaseParams,
  DataProductsParams,
  DataPurchaseParams,
  EduProductsParams,
  EduPurchaseParams,
  EduValidateParams,
  ElectricityPurchaseParams,
  ElectricityValidateParams,
  TransactionStatusParams,
  TvProductsParams,
  TvPurchaseParams,
  TvValidateParams,
  WebhookSubscribeParams,
} from '../../../src/contract/params.js';
import type {
  CatalogueProduct,
  Purchase,
  Transaction,
  ValidateResult,
  WebhookSubscription,
} from '../../../src/index.js';
// Made from docs/openapi.json when the test runs.
import type { components, paths } from './generated/service.js';

/** Names without an index signature, which open objects have. */
type NamesOf<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: unknown };

/** Text is text: the public types list documented values and stay open, the document lists them or not. */
type Widened<T> = T extends string
  ? string
  : T extends readonly (infer Element)[]
    ? Widened<Element>[]
    : T extends object
      ? Shape<T>
      : T;

/** The fields of an interface, with what is optional, and text widened. */
type Shape<T> =
  Record<string, unknown> extends T
    ? Record<string, unknown>
    : {
        [Name in NamesOf<T> as Name extends keyof T ? Name : never]: Name extends keyof T
          ? Record<never, never> extends Pick<T, Name>
            ? { optional: Widened<Exclude<T[Name], undefined>> }
            : { required: Widened<T[Name]> }
          : never;
      };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile unless both types have the same fields. */
const agree = <A, B>(..._same: Equal<Shape<A>, Shape<B>> extends true ? [] : [never]) => {};

type Schemas = components['schemas'];

agree<CatalogueProduct, Schemas['CatalogueProduct']>();
// What the client adds to the data of the response.
agree<Omit<Purchase, 'status' | 'idempotency_key' | 'differences'>, Schemas['AcceptedPurchase']>();
agree<Transaction, Schemas['Transaction']>();
agree<WebhookSubscription, Schemas['WebhookSubscription']>();
agree<WebhookTransaction, Schemas['WebhookTransaction']>();
agree<ValidateResult & { status: string }, Schemas['ValidateEnvelope']>();

type Post = { [Path in keyof paths]: paths[Path] extends { post: object } ? Path : never }[keyof paths];

/** The body of a request, without what the client adds. */
type Body<Path extends Post> = paths[Path]['post'] extends {
  requestBody: { content: { 'application/json': infer Content } };
}
  ? Omit<Content, 'client_id'>
  : never;

/** A purchase as the service takes it: with a key. */
type Keyed<Params> = Omit<Params, 'idempotency_key'> & { idempotency_key: string };

agree<Keyed<AirtimePurchaseParams>, Body<'/airtime/purchase'>>();
agree<Keyed<DataPurchaseParams>, Body<'/data/purchase'>>();
agree<Keyed<TvPurchaseParams>, Body<'/tv/purchase'>>();
agree<Keyed<ElectricityPurchaseParams>, Body<'/electricity/purchase'>>();
agree<Keyed<EduPurchaseParams>, Body<'/edu/purchase'>>();
agree<TvValidateParams, Body<'/tv/validate'>>();
agree<ElectricityValidateParams, Body<'/electricity/validate'>>();
agree<EduValidateParams, Body<'/edu/validate'>>();
agree<WebhookSubscribeParams, Body<'/webhooks/subscribe'>>();

/** The query of a GET, without what the client adds. */
type Query<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query: infer Fields } };
}
  ? Omit<Fields, 'client_id'>
  : never;

agree<DataProductsParams, Query<'/data/products'>>();
agree<TvProductsParams, Query<'/tv/products'>>();
agree<EduProductsParams, Query<'/edu/products'>>();
agree<TransactionStatusParams, Query<'/transactions/status'>>();

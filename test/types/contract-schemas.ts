import type * as z from 'zod/mini';
import type * as params from '../../src/contract/params.js';
import type * as responses from '../../src/contract/responses.js';

/** True where both types accept each other's values and have the same field names. Else the compiler stops here. */
type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : false
  : false;
type AllTrue<Checks extends readonly true[]> = Checks;

/** What a schema gives; the index signature of objects that allow further fields does not count. */
type Output<Schema extends () => z.ZodMiniType> = Named<z.output<ReturnType<Schema>>>;
type Named<T> = T extends readonly (infer Item)[]
  ? Named<Item>[]
  : T extends object
    ? { [Name in keyof T as string extends Name ? never : Name]: Named<T[Name]> }
    : T;

/** Every schema and its public interface, in both directions: the operations table checks only one. */
export type SchemasMatchInterfaces = AllTrue<
  [
    Same<params.AirtimePurchaseParams, Output<typeof params.airtimePurchaseParams>>,
    Same<params.DataPurchaseParams, Output<typeof params.dataPurchaseParams>>,
    Same<params.TvPurchaseParams, Output<typeof params.tvPurchaseParams>>,
    Same<params.ElectricityPurchaseParams, Output<typeof params.electricityPurchaseParams>>,
    Same<params.EduPurchaseParams, Output<typeof params.eduPurchaseParams>>,
    Same<params.DataProductsParams, Output<typeof params.dataProductsParams>>,
    Same<params.TvProductsParams, Output<typeof params.tvProductsParams>>,
    Same<params.EduProductsParams, Output<typeof params.eduProductsParams>>,
    Same<params.TvValidateParams, Output<typeof params.tvValidateParams>>,
    Same<params.ElectricityValidateParams, Output<typeof params.electricityValidateParams>>,
    Same<params.EduValidateParams, Output<typeof params.eduValidateParams>>,
    Same<params.TransactionStatusParams, Output<typeof params.transactionStatusParams>>,
    Same<params.WebhookSubscribeParams, Output<typeof params.webhookSubscribeParams>>,
    Same<responses.AcceptanceEnvelope, Output<typeof responses.acceptanceEnvelope>>,
    Same<responses.AcceptanceEnvelope['data'], Output<typeof responses.acceptanceEnvelope>['data']>,
    Same<responses.FlatEnvelope<responses.Catalogue>, Output<typeof responses.catalogueEnvelope>>,
    Same<responses.CatalogueProduct, Output<typeof responses.catalogueEnvelope>['products'][number]>,
    Same<responses.FlatEnvelope<responses.ValidateResult>, Output<typeof responses.validateEnvelope>>,
    Same<responses.DataEnvelope<responses.Transaction>, Output<typeof responses.transactionEnvelope>>,
    Same<responses.Transaction, Output<typeof responses.transactionEnvelope>['data']>,
    Same<
      responses.DataEnvelope<responses.WebhookSubscription>,
      Output<typeof responses.subscriptionEnvelope>
    >,
    Same<responses.WebhookSubscription, Output<typeof responses.subscriptionEnvelope>['data']>,
  ]
>;

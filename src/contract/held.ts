import type * as z from 'zod/mini';
import type * as params from './params.js';
import type * as results from './results.js';

/** True where both types take each other's values and know the same field names; else the build stops here. */
type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : false
  : false;
type Holds<Interface, Schema extends z.ZodMiniType> = Same<Interface, z.output<Schema>>;
type Made<Maker extends () => unknown> = ReturnType<Maker>;
type AllTrue<Checks extends readonly true[]> = Checks;

/** Each schema held to its public interface, both ways. The operations table checks only one way. */
export type SchemasMatchInterfaces = AllTrue<
  [
    Holds<params.AirtimePurchaseParams, Made<typeof params.airtimePurchaseParams>>,
    Holds<params.DataPurchaseParams, Made<typeof params.dataPurchaseParams>>,
    Holds<params.TvPurchaseParams, Made<typeof params.tvPurchaseParams>>,
    Holds<params.ElectricityPurchaseParams, Made<typeof params.electricityPurchaseParams>>,
    Holds<params.EduPurchaseParams, Made<typeof params.eduPurchaseParams>>,
    Holds<params.DataProductsParams, Made<typeof params.dataProductsParams>>,
    Holds<params.TvProductsParams, Made<typeof params.tvProductsParams>>,
    Holds<params.EduProductsParams, Made<typeof params.eduProductsParams>>,
    Holds<params.TvValidateParams, Made<typeof params.tvValidateParams>>,
    Holds<params.ElectricityValidateParams, Made<typeof params.electricityValidateParams>>,
    Holds<params.EduValidateParams, Made<typeof params.eduValidateParams>>,
    Holds<params.TransactionStatusParams, Made<typeof params.transactionStatusParams>>,
    Holds<params.WebhookSubscribeParams, Made<typeof params.webhookSubscribeParams>>,
    Holds<results.AcceptanceEnvelope, Made<typeof results.acceptanceEnvelope>>,
    Holds<results.AcceptanceEnvelope['data'], Made<typeof results.acceptanceEnvelope>['shape']['data']>,
    Holds<results.CatalogueEnvelope, Made<typeof results.catalogueEnvelope>>,
    Holds<
      results.CatalogueProduct,
      Made<typeof results.catalogueEnvelope>['shape']['products']['def']['element']
    >,
    Holds<results.ValidateEnvelope, Made<typeof results.validateEnvelope>>,
    Holds<results.TransactionEnvelope, Made<typeof results.transactionEnvelope>>,
    Holds<results.Transaction, Made<typeof results.transactionEnvelope>['shape']['data']>,
    Holds<results.SubscriptionEnvelope, Made<typeof results.subscriptionEnvelope>>,
    Holds<results.WebhookSubscription, Made<typeof results.subscriptionEnvelope>['shape']['data']>,
  ]
>;

import type * as params from './params.js';
import type * as results from './responses.js';
import type { Output, Schema } from './schema.js';

/** True where both types take each other's values and know the same field names; else the build stops here. */
type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : false
  : false;
type Made<Maker extends () => Schema> = Output<ReturnType<Maker>>;
type AllTrue<Checks extends readonly true[]> = Checks;

/** Each schema held to its public interface, both ways. The operations table checks only one way. */
export type SchemasMatchInterfaces = AllTrue<
  [
    Same<params.AirtimePurchaseParams, Made<typeof params.airtimePurchaseParams>>,
    Same<params.DataPurchaseParams, Made<typeof params.dataPurchaseParams>>,
    Same<params.TvPurchaseParams, Made<typeof params.tvPurchaseParams>>,
    Same<params.ElectricityPurchaseParams, Made<typeof params.electricityPurchaseParams>>,
    Same<params.EduPurchaseParams, Made<typeof params.eduPurchaseParams>>,
    Same<params.DataProductsParams, Made<typeof params.dataProductsParams>>,
    Same<params.TvProductsParams, Made<typeof params.tvProductsParams>>,
    Same<params.EduProductsParams, Made<typeof params.eduProductsParams>>,
    Same<params.TvValidateParams, Made<typeof params.tvValidateParams>>,
    Same<params.ElectricityValidateParams, Made<typeof params.electricityValidateParams>>,
    Same<params.EduValidateParams, Made<typeof params.eduValidateParams>>,
    Same<params.TransactionStatusParams, Made<typeof params.transactionStatusParams>>,
    Same<params.WebhookSubscribeParams, Made<typeof params.webhookSubscribeParams>>,
    Same<results.AcceptanceEnvelope, Made<typeof results.acceptanceEnvelope>>,
    Same<results.AcceptanceEnvelope['data'], Made<typeof results.acceptanceEnvelope>['data']>,
    Same<results.CatalogueEnvelope, Made<typeof results.catalogueEnvelope>>,
    Same<results.CatalogueProduct, Made<typeof results.catalogueEnvelope>['products'][number]>,
    Same<results.ValidateEnvelope, Made<typeof results.validateEnvelope>>,
    Same<results.TransactionEnvelope, Made<typeof results.transactionEnvelope>>,
    Same<results.Transaction, Made<typeof results.transactionEnvelope>['data']>,
    Same<results.SubscriptionEnvelope, Made<typeof results.subscriptionEnvelope>>,
    Same<results.WebhookSubscription, Made<typeof results.subscriptionEnvelope>['data']>,
  ]
>;

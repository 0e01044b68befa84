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
type AllTrue<Checks extends readonly true[]> = Checks;

/** Each schema held to its public interface, both ways. The operations table checks only one way. */
export type SchemasMatchInterfaces = AllTrue<
  [
    Holds<params.AirtimePurchaseParams, typeof params.airtimePurchaseParams>,
    Holds<params.DataPurchaseParams, typeof params.dataPurchaseParams>,
    Holds<params.TvPurchaseParams, typeof params.tvPurchaseParams>,
    Holds<params.ElectricityPurchaseParams, typeof params.electricityPurchaseParams>,
    Holds<params.EduPurchaseParams, typeof params.eduPurchaseParams>,
    Holds<params.DataProductsParams, typeof params.dataProductsParams>,
    Holds<params.TvProductsParams, typeof params.tvProductsParams>,
    Holds<params.EduProductsParams, typeof params.eduProductsParams>,
    Holds<params.TvValidateParams, typeof params.tvValidateParams>,
    Holds<params.ElectricityValidateParams, typeof params.electricityValidateParams>,
    Holds<params.EduValidateParams, typeof params.eduValidateParams>,
    Holds<params.TransactionStatusParams, typeof params.transactionStatusParams>,
    Holds<params.WebhookSubscribeParams, typeof params.webhookSubscribeParams>,
    Holds<results.AcceptanceEnvelope, typeof results.acceptanceEnvelope>,
    Holds<results.AcceptanceEnvelope['data'], (typeof results.acceptanceEnvelope.shape)['data']>,
    Holds<results.CatalogueEnvelope, typeof results.catalogueEnvelope>,
    Holds<results.CatalogueProduct, (typeof results.catalogueEnvelope.shape)['products']['def']['element']>,
    Holds<results.ValidateEnvelope, typeof results.validateEnvelope>,
    Holds<results.TransactionEnvelope, typeof results.transactionEnvelope>,
    Holds<results.Transaction, (typeof results.transactionEnvelope.shape)['data']>,
    Holds<results.SubscriptionEnvelope, typeof results.subscriptionEnvelope>,
    Holds<results.WebhookSubscription, (typeof results.subscriptionEnvelope.shape)['data']>,
  ]
>;

/** What the examples of doc comments take for granted: the reader's own variables and functions. */
import type { Tracer } from '@opentelemetry/api';
import type { AirtimePurchaseParams, BillPay, BillPayOptions, CatalogueProduct, Purchase } from 'billpay';
import type { PurchaseItem } from 'billpay/bulk';
import type { Orders, OrdersOptions } from 'billpay/orders';
import type { Sandbox } from 'billpay/sandbox';
import type { WebhookHandler, WebhookHandlerOptions } from 'billpay/webhooks';
import type { Express } from 'express';
import type { Pool, PoolClient } from 'pg';
import type { RedisClientType } from 'redis';

declare global {
  const accounts: BillPayOptions[];
  const app: Express;
  const billpay: BillPay;
  const client: PoolClient;
  const error: unknown;
  const handler: WebhookHandler;
  const items: PurchaseItem[];
  const on: NonNullable<WebhookHandlerOptions['on']>;
  const order: { readonly id: string };
  const orders: Orders<PoolClient>;
  const params: AirtimePurchaseParams;
  const pool: Pool;
  const product: CatalogueProduct;
  const purchase: Purchase;
  const queue: { later(id: string, afterMs: number, options?: { resume: true }): Promise<void> };
  const redis: RedisClientType;
  const reference: string;
  const request: Request;
  const sandbox: Sandbox;
  const secret: string;
  const store: OrdersOptions<PoolClient>['store'];
  const tracer: Tracer;

  function askCustomerAgain(catalogue: { readonly products: readonly CatalogueProduct[] }): Promise<void>;
  function askPerson(id: string, error: unknown): Promise<void>;
  function deliver(order: { readonly id: string } | string, token?: string | null): Promise<void>;
  function findOrder(reference: string): Promise<{ readonly id: string } | undefined>;
  function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void>;
  function markDelivered(reference: string, token: string | null | undefined): Promise<void>;
  function refundCustomer(id: string): Promise<void>;
  function showFields(problems: Readonly<Record<string, string>>): void;
  function stopSelling(why: string): Promise<void>;
  function topUpWallet(): Promise<void>;
}

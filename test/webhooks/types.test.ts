import { Redis } from 'ioredis';
import { Pool, type PoolClient } from 'pg';
import { createClient, createCluster } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import {
  createSettlementEvents,
  createWebhookHandler,
  type PostgresClient,
  postgresDedupe,
  redisDedupe,
  type SettlementEvents,
  type TransactionCompletedEvent,
  type TransactionFailedEvent,
  toNodeHandler,
  type UnknownWebhookEvent,
  verifyWebhook,
} from '../../src/webhooks/index.js';

const secret = process.env['BILLPAY_WEBHOOK_SECRET'];

/** Checked by the compiler: none of these functions is called. */
describe('the types', () => {
  it('give each handler its own event', () => {
    void (() =>
      createWebhookHandler({
        secret: [process.env['BILLPAY_WEBHOOK_SECRET'], 'whsec_4f9c1d7e8b2a0c3d'],
        on: {
          'transaction.completed': async (event, { key }) => {
            expectTypeOf(event).toEqualTypeOf<TransactionCompletedEvent>();
            expectTypeOf(key).toBeString();
          },
          'transaction.failed': (event) => expectTypeOf(event).toEqualTypeOf<TransactionFailedEvent>(),
        },
        onUnknown: (event) => expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>(),
        onError: (error) => expectTypeOf(error).toBeUnknown(),
        dedupe: false,
      }));
  });

  it('take the clients of redis, ioredis and pg, and the headers and requests of frameworks', () => {
    void (async (
      request: import('node:http').IncomingMessage,
      response: import('node:http').ServerResponse,
    ) => {
      redisDedupe(await createClient().connect());
      redisDedupe(createClient());
      redisDedupe(createCluster({ rootNodes: [] }));
      redisDedupe(new Redis());
      redisDedupe(new Redis.Cluster([]));
      const store = postgresDedupe(new Pool());
      store.withTransaction({} as PoolClient);
      store.transaction<TransactionFailedEvent>((client, event) => {
        expectTypeOf(client).toEqualTypeOf<PoolClient>();
        expectTypeOf(event).toEqualTypeOf<TransactionFailedEvent>();
      });
      createWebhookHandler({
        secret,
        dedupe: store,
        on: {
          'transaction.completed': store.transaction(async (client, event, { key }) => {
            expectTypeOf(client).toEqualTypeOf<PoolClient>();
            expectTypeOf(event).toEqualTypeOf<TransactionCompletedEvent>();
            expectTypeOf(key).toBeString();
          }),
        },
      });
      const own = { query: async () => ({ rows: [] }) };
      postgresDedupe(own).transaction((client) => expectTypeOf(client).toEqualTypeOf<PostgresClient>());
      const handler = createWebhookHandler({ secret, dedupe: store });
      await toNodeHandler(handler)(request, response);
      const { headers } = request;
      verifyWebhook({ body: '', headers, secret });
      verifyWebhook({ body: '', headers: new Headers(), secret });
      const events = createSettlementEvents();
      expectTypeOf(events).toEqualTypeOf<SettlementEvents>();
    });
  });
});

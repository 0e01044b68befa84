import type { PostgresClient } from 'billpay/orders';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, type Transaction } from 'kysely';
import type { PoolClient } from 'pg';

/** Drizzle on the transaction of `store.transaction` or of a hook. */
export const drizzleOn = (client: PoolClient) => drizzle({ client });

/** A transaction of Kysely as `client` of `orders.place`. */
export const fromKysely = <Tables>(transaction: Transaction<Tables>): PostgresClient => ({
  async query(text, values = []) {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, values));
    return { rows };
  },
});

/** The transaction of `prisma.$transaction(async (transaction) => …)`, as `client` of `orders.place`. */
export const fromPrisma = (transaction: {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>;
}): PostgresClient => ({
  async query(text, values = []) {
    const rows = await transaction.$queryRawUnsafe(text, ...values);
    return { rows: Array.isArray(rows) ? rows : [] };
  },
});

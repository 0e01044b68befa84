// Webhooks in a Cloudflare Worker, de-duplicated in a D1 table:
//   CREATE TABLE webhook_events (key TEXT PRIMARY KEY, owner TEXT NOT NULL, done INTEGER NOT NULL, ends INTEGER NOT NULL)
import { createWebhookHandler, type DedupeStore } from 'billpay/webhooks';

interface Statement {
  bind(...values: unknown[]): Statement;
  first(column: string): Promise<unknown>;
  run(): Promise<unknown>;
}

interface Env {
  BILLPAY_WEBHOOK_SECRET: string;
  DB: { prepare(sql: string): Statement };
}

const lease = 60_000;
const keep = 7 * 24 * 3_600_000;

const d1Dedupe = (db: Env['DB']): DedupeStore => ({
  async begin(key, owner) {
    const claim = `INSERT INTO webhook_events VALUES (?1, ?2, 0, ?3) ON CONFLICT (key) DO UPDATE
      SET owner = ?2, done = 0, ends = ?3 WHERE ends <= ?4 RETURNING key`;
    const now = Date.now();
    if (
      await db
        .prepare(claim)
        .bind(key, owner, now + lease, now)
        .first('key')
    )
      return 'new';
    const done = await db.prepare('SELECT done FROM webhook_events WHERE key = ?1').bind(key).first('done');
    return done === 1 ? 'done' : 'busy';
  },
  async done(key) {
    const mark = 'UPDATE webhook_events SET done = 1, ends = ?2 WHERE key = ?1';
    await db
      .prepare(mark)
      .bind(key, Date.now() + keep)
      .run();
  },
  async release(key, owner) {
    const drop = 'DELETE FROM webhook_events WHERE key = ?1 AND owner = ?2 AND done = 0';
    await db.prepare(drop).bind(key, owner).run();
  },
});

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const webhooks = createWebhookHandler({
      secret: env.BILLPAY_WEBHOOK_SECRET,
      dedupe: d1Dedupe(env.DB),
      on: {
        'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
        'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
      },
    });
    return webhooks(request);
  },
};

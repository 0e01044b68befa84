import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import { describe, it } from 'vitest';
import { place, prepare } from '../../examples/queue/pg-boss/schema.js';
import { limitMs, runFleet, seed, unique } from './fleet.js';
import { expireInSeconds } from './kill/settings.js';

const server = process.env['BILLPAY_TEST_POSTGRES_URL'];
const title = server
  ? `the pg-boss example (BILLPAY_TEST_SEED=${seed} repeats it)`
  : 'the pg-boss example (skipped: BILLPAY_TEST_POSTGRES_URL is not set; eval "$(test/services/start.sh $$)" starts one)';

/** Notes every end that an order comes to. */
const notes = `
  CREATE TABLE endings (reference text);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO endings VALUES (NEW.reference); RETURN NEW; END $$;
  CREATE TRIGGER noted AFTER UPDATE ON orders FOR EACH ROW
    WHEN (NEW.state IN ('delivered', 'failed') AND OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION note();
`;

describe.skipIf(!server)(title, () => {
  it(
    'charges and settles each of 300 orders once, its processes killed 12 times',
    async () => {
      const database = unique();
      const admin = new Pool({ connectionString: server! });
      await admin.query(`CREATE DATABASE ${database}`);
      const url = Object.assign(new URL(server!), { pathname: database }).href;
      const pool = new Pool({ connectionString: url, max: 4 });
      const boss = new PgBoss({ connectionString: url, max: 4, supervise: false, schedule: false });
      boss.on('error', () => undefined);
      await boss.start();
      await prepare(pool, boss, expireInSeconds);
      await pool.query(notes);
      try {
        await runFleet({
          program: 'pg-boss',
          url,
          place: (order) => place(pool, boss, order),
          async states() {
            const { rows } = await pool.query<{ id: string; state: string; reference: string | null }>(
              'SELECT id, state, reference FROM orders',
            );
            return new Map(rows.map(({ id, ...rest }) => [id, rest]));
          },
          async endings() {
            const { rows } = await pool.query<{ reference: string }>('SELECT reference FROM endings');
            return rows.map(({ reference }) => reference);
          },
        });
      } finally {
        await boss.stop({ graceful: false, wait: true });
        await pool.end();
        await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
        await admin.end();
      }
    },
    limitMs,
  );
});

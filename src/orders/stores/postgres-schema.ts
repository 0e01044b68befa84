import type { OrderTables } from './tables.js';

/**
 * The steps that bring the tables up to date: step 1 makes version 1, and so on. A step that was released is never changed; what is new
 * is a step of its own, so that tables of any version can be upgraded in place.
 */
export const migrations = ({ orders, history, events, index, named }: OrderTables): readonly string[] => [
  `CREATE TABLE ${orders} (
  id text PRIMARY KEY,
  product text NOT NULL,
  params jsonb NOT NULL,
  state text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  doubted_at timestamptz,
  reference text,
  amount numeric,
  awaiting_refund boolean NOT NULL DEFAULT false,
  token text,
  last_error jsonb,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz
);
CREATE UNIQUE INDEX ${index('reference')} ON ${orders} (reference) WHERE reference IS NOT NULL;
CREATE INDEX ${index('due')} ON ${orders} (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ${index('created')} ON ${orders} (created_at DESC, id DESC);
CREATE INDEX ${index('state')} ON ${orders} (state, created_at DESC, id DESC);
CREATE INDEX ${index('refund')} ON ${orders} (id) WHERE awaiting_refund;
CREATE INDEX ${index('claims')} ON ${orders} (created_at)
  WHERE reference IS NULL AND state IN ('buying', 'unknown', 'review');
CREATE TABLE ${history} (
  order_id text NOT NULL REFERENCES ${orders} (id) ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  event text NOT NULL,
  from_state text,
  to_state text NOT NULL,
  attempt integer NOT NULL,
  detail jsonb,
  PRIMARY KEY (order_id, seq)
);
CREATE TABLE ${events} (
  reference text PRIMARY KEY,
  event jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);`,
  // Times of placing have no more than ms, as in JavaScript, so that a page can continue after an order whose row is gone. The history has no
  // foreign key, whose check would lock the order's row with every line. Of the indexes, those remain that a query needs at a million orders:
  // each of them is written at every step.
  `ALTER TABLE ${orders}
  ADD COLUMN customer text,
  ADD COLUMN run text,
  ADD COLUMN accepted_at timestamptz,
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN settled_at timestamptz,
  ADD COLUMN amount_charged numeric,
  ADD COLUMN commission numeric,
  ADD COLUMN refunded boolean NOT NULL DEFAULT false,
  ADD COLUMN contradicted boolean NOT NULL DEFAULT false,
  ALTER COLUMN created_at SET DEFAULT date_trunc('milliseconds', clock_timestamp());
UPDATE ${orders} SET
  created_at = date_trunc('milliseconds', created_at),
  accepted_at = CASE WHEN state = 'accepted' THEN updated_at END,
  settled_at = CASE WHEN state IN ('delivered', 'failed') THEN updated_at END,
  refunded = state = 'failed';
CREATE INDEX ${index('recipient')} ON ${orders} ((params ->> 'recipient'), created_at DESC, id DESC);
CREATE INDEX ${index('settled')} ON ${orders} (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX ${index('run')} ON ${orders} (run, state, due_at) WHERE run IS NOT NULL;
CREATE INDEX ${index('attention')} ON ${orders} (id) WHERE awaiting_refund OR contradicted;
DROP INDEX ${named('_refund')}, ${named('_claims')};
ALTER TABLE ${history} DROP CONSTRAINT IF EXISTS ${index('history_order_id_fkey')};`,
  // A line of history is written with the row that it is about, instead of into a second table with an index of its own. The line `place` is
  // the row itself.
  `ALTER TABLE ${orders} ADD COLUMN history jsonb[];
UPDATE ${orders} SET history = written.lines FROM (
  SELECT order_id, array_agg(jsonb_build_object('at', at, 'event', event, 'from_state', from_state, 'to_state', to_state, 'attempt', attempt, 'detail', detail)
    ORDER BY seq) AS lines
  FROM ${history} WHERE event <> 'place' GROUP BY order_id
) AS written WHERE id = written.order_id;
DROP TABLE ${history};`,
];

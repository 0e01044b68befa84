import type { OrderTables } from './tables.js';

/** Now by the clock of the database, in ms since the epoch, whatever time zone the connection has. */
export const nowMs = "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)";

/** The longest id and reference in bytes of UTF-8: they are keys of an index. */
export const keyBytes = 1024;

/** MySQL's code of a value that a unique index has already. */
export const duplicateKey = 'ER_DUP_ENTRY';

/** How many rows the table of locks has at most. */
export const lockRows = 1024;

/**
 * As in PostgreSQL: a step that was released is never changed, what is new is a step of its own. A step has one statement for each table,
 * because MySQL commits after each; all of them may run again. Times are ms since the epoch.
 *
 * Keys are compared byte by byte: the text types ignore blanks at the end, and most of their collations ignore case.
 */
export const mysqlMigrations = ({
  orders,
  history,
  events,
  locks,
}: OrderTables): readonly (readonly string[])[] => [
  [
    `CREATE TABLE IF NOT EXISTS ${orders} (
  id VARBINARY(${keyBytes}) NOT NULL PRIMARY KEY,
  product VARCHAR(16) NOT NULL,
  params LONGTEXT NOT NULL,
  recipient VARBINARY(255) NOT NULL,
  customer VARBINARY(${keyBytes}),
  run VARBINARY(255),
  state VARCHAR(16) NOT NULL,
  attempt INT NOT NULL DEFAULT 0,
  changes INT NOT NULL DEFAULT 0,
  doubted_at BIGINT,
  accepted_at BIGINT,
  expires_at BIGINT,
  settled_at BIGINT,
  reference VARBINARY(${keyBytes}),
  amount DECIMAL(20, 2),
  amount_charged DECIMAL(20, 2),
  commission DECIMAL(20, 2),
  awaiting_refund BOOLEAN NOT NULL DEFAULT FALSE,
  refunded BOOLEAN NOT NULL DEFAULT FALSE,
  contradicted BOOLEAN NOT NULL DEFAULT FALSE,
  token LONGTEXT,
  last_error LONGTEXT,
  tries INT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  due_at BIGINT,
  UNIQUE KEY reference (reference),
  KEY due (due_at),
  KEY created (created_at, id),
  KEY state (state, created_at, id),
  KEY recipient (recipient, created_at),
  KEY settled (settled_at),
  KEY run (run, state, due_at),
  KEY refund (awaiting_refund),
  KEY contradicted (contradicted)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
    `CREATE TABLE IF NOT EXISTS ${history} (
  seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  order_id VARBINARY(${keyBytes}) NOT NULL,
  at BIGINT NOT NULL,
  event VARCHAR(16) NOT NULL,
  from_state VARCHAR(16),
  to_state VARCHAR(16) NOT NULL,
  attempt INT NOT NULL,
  detail LONGTEXT,
  KEY order_id (order_id, seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
    `CREATE TABLE IF NOT EXISTS ${events} (
  reference VARBINARY(${keyBytes}) NOT NULL PRIMARY KEY,
  event LONGTEXT NOT NULL,
  received_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
    `CREATE TABLE IF NOT EXISTS ${locks} (slot INT NOT NULL PRIMARY KEY) ENGINE = InnoDB`,
  ],
  // A line of history is written with the row that it is about. The line `place` is the row itself.
  [
    `ALTER TABLE ${orders} ADD COLUMN history LONGTEXT`,
    'SET SESSION group_concat_max_len = 4294967295',
    `UPDATE ${orders} AS this SET history = (
  SELECT GROUP_CONCAT(JSON_OBJECT('at', at, 'event', event, 'from_state', from_state, 'to_state', to_state, 'attempt', attempt, 'detail', JSON_EXTRACT(detail, '$')) ORDER BY seq SEPARATOR ',')
  FROM ${history} WHERE order_id = this.id AND event <> 'place'
) WHERE history IS NULL`,
  ],
  [`DROP TABLE IF EXISTS ${history}`],
];

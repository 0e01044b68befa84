import { type Dialect, jsonText } from './dialect.js';
import { keyBytes, nowMs } from './mysql-schema.js';

/** A key as text: it is stored as bytes. */
export const asText = (column: string): string => `CONVERT(${column} USING utf8mb4)`;

/** The columns of an order as `orderOf` reads them: what is compared byte by byte is converted to text. */
export const columns = `${['id', 'reference', 'customer', 'run'].map((column) => `${asText(column)} AS ${column}`).join(', ')}, product, params, state, attempt, doubted_at,
  accepted_at, expires_at, settled_at, amount, amount_charged, commission, awaiting_refund, refunded, contradicted, token, last_error,
  tries, created_at, updated_at, due_at, ${nowMs} AS now_at`;

/** Text that is a key. The database may cut what is too long without an error, and two orders must never become one. */
export function keyText(value: string): string {
  if (new TextEncoder().encode(value).length > keyBytes)
    throw new Error(`a text of more than ${keyBytes} bytes cannot be a key in MySQL`);
  return value;
}

/** How MySQL writes the statements of orders. */
export const mysqlDialect: Dialect = {
  mark: () => '?',
  now: () => nowMs,
  scanNow: () => nowMs,
  later: (ms, value) => `${nowMs} + ${value(Math.round(ms))}`,
  time: (at) => at.getTime(),
  flag: Number,
  yes: 'TRUE',
  text: (given) => given,
  key: keyText,
  json: jsonText,
  recipient: 'recipient',
  asText,
  // Of a comparison of rows, MySQL uses no index.
  isAfter: (createdAt, id) =>
    `(created_at < ${createdAt()} OR (created_at = ${createdAt()} AND id < ${id()}))`,
  // A row that is written with the same values would count as not changed.
  always: ['changes = changes + 1'],
  placedAt: () => nowMs,
  hasRecipient: true,
  orIgnore: (key) => `ON DUPLICATE KEY UPDATE ${key} = ${key}`,
  append: (line, value) =>
    `CONCAT(COALESCE(CONCAT(history, ','), ''), '{"at":', ${nowMs}, ',', ${value(JSON.stringify(line).slice(1))})`,
  lines: "CONCAT('[', history, ']')",
  latest: ' LOCK IN SHARE MODE',
};

import { isRecord } from '../../utils/is-record.js';
import { type Dialect, jsonText } from './dialect.js';

/** What `pg` takes as a value besides texts and numbers. */
export type PostgresExtra = boolean | Date | readonly string[];

/** A text as PostgreSQL can store it: without NUL and without half a pair of surrogates. */
export const storable = (text: string): string => text.replace(/[\0\ud800-\udfff]/gu, '\ufffd');

/** How JSON writes what PostgreSQL cannot store, and some texts that it can. */
const suspect = /\\u(?:0000|d[89a-f])/;

/** A value as JSON that PostgreSQL can store; NULL for what is not there. */
export function json(value: unknown): string | null {
  const text = jsonText(value);
  return text !== null && suspect.test(text) ? JSON.stringify(value, (_, part) => storablePart(part)) : text;
}

function storablePart(part: unknown): unknown {
  if (typeof part === 'string') return storable(part);
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [storable(name), value]));
}

/** How PostgreSQL writes the statements of orders. */
export const postgresDialect: Dialect<PostgresExtra> = {
  mark: (n) => `$${n}`,
  now: () => 'clock_timestamp()',
  scanNow: () => 'statement_timestamp()',
  later: (ms, value) => `clock_timestamp() + ${value(`${ms} ms`)}::interval`,
  time: (at) => at,
  flag: (is) => is,
  yes: 'TRUE',
  text: storable,
  key: storable,
  json,
  recipient: "params ->> 'recipient'",
  asText: (column) => column,
  isAfter: (createdAt, id) => `(created_at, id) < (${createdAt()}, ${id()})`,
  always: [],
  placedAt: () => "date_trunc('milliseconds', clock_timestamp())",
  hasRecipient: false,
  orIgnore: () => 'ON CONFLICT DO NOTHING',
  append: (line, value) =>
    `array_append(history, jsonb_build_object('at', clock_timestamp()) || ${value(json(line))}::jsonb)`,
  lines: 'to_json(history)',
  latest: '',
};

import { isRecord } from '../../utils/is-record.js';
import type { OrderChange, OrderGuard, OrderNote, OrderQuery } from '../store.js';

/** A text as PostgreSQL can store it: without NUL and without half a pair of surrogates. */
export const storable = (text: string): string => text.replace(/[\0\ud800-\udfff]/gu, '\ufffd');

/** A value as JSON that PostgreSQL can store; NULL for what is not there. */
export const json = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value, (_, part) => storablePart(part));

function storablePart(part: unknown): unknown {
  if (typeof part === 'string') return storable(part);
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [storable(name), value]));
}

/** The SET list of an update. */
export function assignments(change: OrderChange, value: (of: unknown) => string): string[] {
  const set = ['updated_at = clock_timestamp()'];
  const plain = {
    state: 'state',
    attempt: 'attempt',
    reference: 'reference',
    amount: 'amount',
    amountCharged: 'amount_charged',
    commission: 'commission',
    refunded: 'refunded',
    contradicted: 'contradicted',
    awaitingRefund: 'awaiting_refund',
    token: 'token',
    tries: 'tries',
  } as const;
  for (const [name, column] of Object.entries(plain)) {
    const given = change[name as keyof typeof plain];
    if (given === undefined) continue;
    set.push(`${column} = ${value(typeof given === 'string' ? storable(given) : given)}`);
  }
  // These keep the time of the first.
  if (change.doubted) set.push('doubted_at = coalesce(doubted_at, clock_timestamp())');
  if (change.accepted) set.push('accepted_at = coalesce(accepted_at, clock_timestamp())');
  if (change.settled) set.push('settled_at = coalesce(settled_at, clock_timestamp())');
  if ('lastError' in change) set.push(`last_error = ${value(json(change.lastError))}::jsonb`);
  if ('dueInMs' in change) {
    set.push(
      change.dueInMs === undefined
        ? 'due_at = NULL'
        : `due_at = clock_timestamp() + ${value(`${change.dueInMs} ms`)}::interval`,
    );
  }
  return set;
}

/** The line of history of an update, with the time of the database. */
export function lineOf(
  guard: OrderGuard,
  { state = guard.state, attempt = guard.attempt }: OrderChange,
  { event, detail }: OrderNote,
  value: (of: unknown) => string,
): string {
  const line = { event, from_state: guard.state, to_state: state, attempt, detail };
  return `jsonb_build_object('at', clock_timestamp()) || ${value(json(line))}::jsonb`;
}

/** The conditions of a query. */
export function conditions(query: Omit<OrderQuery, 'limit'>, value: (of: unknown) => string): string {
  const { state, run, recipient, reference, since, until, settled, after } = query;
  const all = [
    state !== undefined && `state = ${value(state)}`,
    run !== undefined && `run = ${value(run)}`,
    recipient !== undefined && `params ->> 'recipient' = ${value(storable(recipient))}`,
    reference !== undefined && `reference = ${value(storable(reference))}`,
    since !== undefined && `created_at >= ${value(since)}`,
    until !== undefined && `created_at < ${value(until)}`,
    settled !== undefined && 'settled_at IS NOT NULL',
    settled?.since !== undefined && `settled_at >= ${value(settled.since)}`,
    settled?.until !== undefined && `settled_at < ${value(settled.until)}`,
    after !== undefined && `(created_at, id) < (${value(after.createdAt)}, ${value(after.id)})`,
  ].filter((condition) => condition !== false);
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}

import * as z from 'zod/mini';
import { products } from '../../contract/vocabulary.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { noOrders, type OrderState, orderStates } from '../states.js';
import { findingOf, type ReconcileFinding } from './finding.js';
import { findingKinds } from './kinds.js';
import type { CheckedReconcile } from './options.js';
import type { ReadStatement } from './statement.js';
import type { SalesSum } from './sums.js';

/** How far a reconciliation is, and what it has found so far. */
export interface Progress {
  /** The last order that was compared. */
  readonly after: { readonly id: string; readonly createdAt: Date } | undefined;
  readonly orders: number;
  readonly lookedUp: number;
  readonly applied: number;
  readonly states: Readonly<Record<OrderState, number>>;
  readonly findings: readonly ReconcileFinding[];
  readonly sums: readonly SalesSum[];
  /** Kobo by which the statement's rows of these orders changed the wallet more than they should have. */
  readonly excessKobo: number;
}

/** What belongs to one reconciliation: a checkpoint of another range, or of another statement, would mix two. */
export function rangeText(
  { from, to, lookUp, apply, timeZone }: CheckedReconcile,
  statement: ReadStatement | undefined,
): string {
  const rows = statement && [
    statement.rows,
    statement.debitedKobo,
    statement.creditedKobo,
    statement.otherKobo,
  ];
  return JSON.stringify([from, to, lookUp, apply, timeZone, rows ?? null]);
}

const version = 1;
const count = () => z.number();
const value = () => z.optional(z.union([z.string(), z.number(), z.boolean()]));

const schema = z.object({
  version: z.literal(version),
  range: z.string(),
  after: z.optional(z.object({ id: z.string(), createdAt: z.string() })),
  orders: count(),
  lookedUp: count(),
  applied: count(),
  states: z.partialRecord(z.enum(orderStates), count()),
  findings: z.array(
    z.object({
      kind: z.enum(findingKinds),
      id: z.optional(z.string()),
      reference: z.optional(z.string()),
      stored: value(),
      found: value(),
      applied: z.boolean(),
    }),
  ),
  sums: z.array(
    z.object({
      day: z.string(),
      product: z.enum(products),
      biller: z.string(),
      orders: count(),
      delivered: count(),
      failed: count(),
      open: count(),
      charged: count(),
      refunded: count(),
      commission: count(),
    }),
  ),
  excessKobo: count(),
});

/** A text from which the same reconciliation continues. */
export const checkpointOf = (range: string, { after, findings, ...progress }: Progress): string =>
  JSON.stringify({
    version,
    range,
    ...(after && { after: { id: after.id, createdAt: after.createdAt } }),
    ...progress,
    // The sentences belong to the kinds.
    findings: findings.map(({ message, whatToDo, ...data }) => data),
  });

/**
 * Where a reconciliation begins.
 *
 * @throws `ConfigurationError` for a text that is no checkpoint of the same reconciliation.
 */
export function progressFrom(checkpoint: string | undefined, range: string): Progress {
  if (checkpoint === undefined) {
    const counts = { orders: 0, lookedUp: 0, applied: 0, excessKobo: 0 };
    return { after: undefined, ...counts, states: noOrders(), findings: [], sums: [] };
  }
  const result = schema.safeParse(jsonOf(checkpoint));
  if (!result.success)
    throw new ConfigurationError(
      'checkpoint',
      'is not the text of a checkpoint: pass what onCheckpoint was given, or leave it out to begin anew',
    );
  const { after, states, findings, range: former, ...progress } = result.data;
  if (former !== range)
    throw new ConfigurationError(
      'checkpoint',
      'belongs to another range, statement, lookUp, apply or timeZone: pass the same ones, or leave it out to begin anew',
    );
  return {
    ...progress,
    after: after && { id: after.id, createdAt: new Date(after.createdAt) },
    states: { ...noOrders(), ...states },
    findings: findings.map(({ id, reference, applied, ...difference }) =>
      findingOf({ id, reference }, difference, applied),
    ),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

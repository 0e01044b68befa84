/** How one call for an order ended, as its caller saw it. */
export type CallEnd =
  | { readonly is: 'sold'; readonly key: string; readonly reference: string }
  /** The outcome is unknown: the call has to be repeated with its key. */
  | { readonly is: 'doubtful'; readonly key: string | undefined; readonly error: string }
  /** The client is certain that this call charged nothing. */
  | { readonly is: 'refused'; readonly key: string | undefined; readonly error: string }
  /** An error that is not one of the package's own, which no call may end in. */
  | { readonly is: 'untyped'; readonly key: undefined; readonly error: string };

/** Everything that a caller knows of one order, oldest first. */
export interface History {
  readonly order: string;
  readonly recipient: string;
  readonly ends: readonly CallEnd[];
}

/** What the service booked. */
export interface Charge {
  readonly recipient: string;
  readonly idempotency_key: string;
  readonly reference: string;
}

/** The state of an order by its last call: calls after a doubtful one resume it, so the last one includes all before it. */
export function standOf({ ends }: History): 'sold' | 'doubtful' | 'refused' {
  const is = ends.at(-1)?.is;
  return is === 'sold' || is === 'doubtful' ? is : 'refused';
}

/** The key to repeat a doubtful purchase with. */
export const keyOf = ({ ends }: History): string | undefined =>
  ends.find(({ key }) => key !== undefined)?.key;

/**
 * Compares the results and errors of the calls with what was charged; returns a sentence for each problem.
 *
 * 1. No key, and no order, is charged twice.
 * 2. For every charge the caller holds its reference, or a doubtful error with the key that brings it.
 * 3. No order that was only ever refused for certain is charged.
 * 4. A reference that a caller holds is that of its charge.
 * 5. Every error is one of the package's own.
 * 6. What is unknown is settled by a success only: no later call of the same order says that nothing was charged.
 * 7. No purchase is taken for another one, however the service echoes it.
 */
export function problemsIn(histories: readonly History[], charges: readonly Charge[]): string[] {
  const problems: string[] = [];
  const byRecipient = new Map<string, Charge[]>();
  const keys = new Set<string>();
  for (const charge of charges) {
    byRecipient.set(charge.recipient, [...(byRecipient.get(charge.recipient) ?? []), charge]);
    if (keys.has(charge.idempotency_key)) problems.push(`key ${charge.idempotency_key} was charged twice`);
    keys.add(charge.idempotency_key);
  }
  for (const history of histories) {
    const own = byRecipient.get(history.recipient) ?? [];
    byRecipient.delete(history.recipient);
    problems.push(...problemsOf(history, own));
  }
  for (const recipient of byRecipient.keys())
    problems.push(`${recipient} was charged, and nobody ordered that`);
  return problems;
}

function problemsOf(history: History, charges: readonly Charge[]): string[] {
  const { order, ends } = history;
  const problems: string[] = [];
  const [charge] = charges;
  const reported = ends.map((end) => ('error' in end ? `${end.is} ${end.error}` : end.is)).join(', ');
  if (charges.length > 1) problems.push(`${order} was charged ${charges.length} times (${reported})`);
  const stand = standOf(history);
  if (charge && stand === 'refused') {
    problems.push(`${order} was charged, and its call reported that it was not (${reported})`);
  }
  if (charge && stand === 'doubtful' && keyOf(history) !== charge.idempotency_key) {
    problems.push(`${order} was charged, and its caller does not hold the key (${reported})`);
  }
  const doubtfulAt = ends.findIndex(({ is }) => is === 'doubtful');
  if (doubtfulAt >= 0 && ends.slice(doubtfulAt).some(({ is }) => is === 'refused')) {
    problems.push(`${order} was doubtful, and then its call reported that nothing was charged (${reported})`);
  }
  for (const end of ends) {
    if ('error' in end && end.error === 'IdempotencyKeyReusedError') {
      problems.push(`${order} was taken for another purchase (${reported})`);
    }
    if (end.is === 'untyped') problems.push(`${order} ended in ${end.error}`);
    if (end.is !== 'sold') continue;
    if (end.reference !== charge?.reference) {
      problems.push(`${order} holds ${end.reference}, and was charged as ${charge?.reference ?? 'nothing'}`);
    }
    if (end.key !== charge?.idempotency_key)
      problems.push(`${order} holds the key ${end.key}, which is not its charge's`);
  }
  return problems;
}

/** What a kind of finding says, and what to do about it. */
interface FindingText {
  readonly message: string;
  readonly whatToDo: string;
}

/**
 * Every kind of difference that `orders.reconcile` reports, with its sentence and its remedy.
 *
 * @example
 * ```ts
 * for (const [kind, { whatToDo }] of Object.entries(reconcileFindings)) console.log(kind, whatToDo);
 * ```
 */
export const reconcileFindings = {
  unsettled: {
    message: 'The transaction has ended at the service, and the order has not ended here.',
    whatToDo:
      'Wait for the webhook or a worker, or reconcile with apply: true, which settles the order; one in review also by orders.resolve.',
  },
  state: {
    message: 'The order has another end than its transaction at the service.',
    whatToDo: 'Compare the history of the order with the console of the service: a person decides.',
  },
  amount: {
    message: 'The service charged another amount than is stored.',
    whatToDo: 'Book the amount of the service, and ask the service about it if you lose money by it.',
  },
  commission: {
    message: 'The service reports another commission than is stored.',
    whatToDo: 'Book the commission of the service.',
  },
  refund: {
    message: 'The service reports another state of the refund than the order needs.',
    whatToDo:
      'A failed sale without its refund: ask the service for the money. A delivered one with a refund: tell the service.',
  },
  'refused-but-charged': {
    message: 'The order ended as refused, and the service has charged it.',
    whatToDo:
      'Compare it with the console of the service: the customer may have both the value and the money back, or your wallet lacks a refund.',
  },
  'unknown-reference': {
    message: 'The service knows no transaction under the reference of the order.',
    whatToDo:
      'Check that baseUrl and client_id are those that the order was bought with, then ask the service.',
  },
  'lookup-failed': {
    message: 'The lookup failed, so nothing is known about this order.',
    whatToDo: 'Reconcile the range again later.',
  },
  'debit-missing': {
    message: 'The statement has no debit for this order.',
    whatToDo:
      'Check that the statement is complete. If it is, the service gave the sale away: tell the service.',
  },
  'debit-repeated': {
    message: 'The statement has several debits for this order.',
    whatToDo: 'Ask the service for the money of all debits but one.',
  },
  'debit-amount': {
    message: 'The debit of the statement is not the amount that was charged.',
    whatToDo: 'Book the debit, and ask the service about the difference.',
  },
  'credit-missing': {
    message: 'The sale failed, and the statement has no credit for it.',
    whatToDo: 'Ask the service for the money.',
  },
  'credit-repeated': {
    message: 'The statement has several credits for this failed sale.',
    whatToDo: 'Tell the service: it will ask for the money.',
  },
  'credit-amount': {
    message: 'The credit of the statement is not the amount that was charged.',
    whatToDo: 'Ask the service about the difference.',
  },
  'credit-unexpected': {
    message: 'The statement has a credit, and the sale has not failed.',
    whatToDo:
      'Look the transaction up in the console of the service: the sale may have been reversed after it was delivered.',
  },
  'debit-without-order': {
    message: 'The statement has a debit that belongs to no order.',
    whatToDo:
      'Find out who bought it: another program with this account, or an order in doubt or removed. Rows that are no sales belong to the kind other.',
  },
  'credit-without-order': {
    message: 'The statement has a credit that belongs to no order.',
    whatToDo:
      'Find out what was refunded. Funding and other rows that are no refunds belong to the kind other.',
  },
  'reference-missing': {
    message: 'The statement has a row under the key of this order, and the order has no such reference.',
    whatToDo:
      'The order was charged: if it is still open, orders.retry resumes it under its key; if it was refused, decide about customer and money.',
  },
  'not-covered': {
    message: 'A row of this order is missing, but may lie outside of the time that the statement covers.',
    whatToDo: 'Reconcile with a statement that begins earlier and ends later than the range.',
  },
  balance: {
    message: 'The opening balance and the rows of the statement do not add up to its closing balance.',
    whatToDo: 'Export the statement again: rows are missing from it, or the balances belong to other times.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

/** The kind of a difference: a key of `reconcileFindings`. */
export type ReconcileFindingKind = keyof typeof reconcileFindings;

export const findingKinds = Object.keys(reconcileFindings) as readonly ReconcileFindingKind[];

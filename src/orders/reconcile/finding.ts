/**
 * Every kind of difference that `orders.reconcile` finds, with its sentence and its remedy.
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
      'Wait for the webhook or the next status check, or call orders.retry, which checks at once; end one in review with orders.resolve.',
  },
  undecided: {
    message: 'It is not known whether the order was charged, or how it ended.',
    whatToDo:
      'A worker resumes an order in unknown under its key. Look one in review up in the console of the service, then call orders.retry or orders.resolve.',
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
      'A failed purchase without its refund: ask the service for the money. A delivered one with a refund: tell the service.',
  },
  'refused-but-charged': {
    message: 'The order ended as refused, and was charged.',
    whatToDo:
      'Compare it with the console of the service: the customer may have both the value and the money back, or your wallet lacks a refund.',
  },
  'unknown-reference': {
    message: 'The service knows no transaction under the reference of the order.',
    whatToDo:
      'Check that baseUrl and client_id are those that the order was bought with, then ask the service.',
  },
  'no-reference': {
    message: 'The order ended as charged and has no reference, so nothing can confirm its amount.',
    whatToDo: 'Look it up in the console of the service by its id, and book what was charged there.',
  },
  'amount-unknown': {
    message: 'The order was charged, and its amount is not known: the sums have nothing for it.',
    whatToDo:
      'Compare with check: all or with a statement, or book the amount from the console of the service.',
  },
  'check-failed': {
    message: 'The status check failed, so the service said nothing about this order.',
    whatToDo: 'Reconcile the range again later.',
  },
  'debit-missing': {
    message: 'The statement has no debit for this order.',
    whatToDo:
      'Check that the statement is complete. If it is, the service gave the value away: tell the service.',
  },
  'debit-repeated': {
    message: 'The statement has several debits for this order.',
    whatToDo: 'Ask the service for the money of all debits but one.',
  },
  'debit-late': {
    message: 'The statement has a debit for this order from another time than that of its purchase.',
    whatToDo:
      'Check that the times of the statement are read in its time zone. If they are, the order was charged again: ask the service for the money.',
  },
  'debit-amount': {
    message: 'The debit of the statement is not the amount that was charged.',
    whatToDo: 'Book the debit, and ask the service about the difference.',
  },
  'charged-twice': {
    message: 'The statement has a second transaction under the key of this order, with another reference.',
    whatToDo:
      'The service charged one key twice: ask it for the money of the second transaction, and find out whether the customer got both.',
  },
  'credit-missing': {
    message: 'The purchase failed, and the statement has no credit for it.',
    whatToDo: 'Ask the service for the money.',
  },
  'credit-repeated': {
    message: 'The statement has several credits for this failed order.',
    whatToDo: 'Tell the service: it will ask for the money.',
  },
  'credit-late': {
    message: 'The statement has a credit for this failed order from a time after its refund.',
    whatToDo:
      'The service may have refunded it twice: compare its earlier credit in the console, and tell it.',
  },
  'credit-amount': {
    message: 'The credit of the statement is not the amount that was charged.',
    whatToDo: 'Ask the service about the difference.',
  },
  'credit-unexpected': {
    message: 'The statement has a credit, and the order has not failed.',
    whatToDo:
      'Look the transaction up in the console of the service: it may have been reversed after it was delivered.',
  },
  'debit-without-order': {
    message: 'The statement has a debit that belongs to no order.',
    whatToDo:
      'Find out who bought it: another program with this account, or an order that is unknown or was removed. Rows that are no purchases belong to the kind other.',
  },
  'credit-without-order': {
    message: 'The statement has a credit that belongs to no order.',
    whatToDo:
      'Find out what was refunded. Funding and other rows that are no refunds belong to the kind other.',
  },
  'reference-missing': {
    message: 'The statement has a row under the key of this order, and the order has no such reference.',
    whatToDo:
      'The order was charged: if it is still open, orders.retry resumes it under its key; if it has ended, book the reference of the statement.',
  },
  'not-covered': {
    message: 'A row of this order is missing, but may lie outside of the time that the statement covers.',
    whatToDo: 'Reconcile with a statement that begins earlier and ends later than the range.',
  },
  balance: {
    message: 'The opening balance and the rows of the statement do not add up to its closing balance.',
    whatToDo: 'Export the statement again: rows are missing from it, or the balances belong to other times.',
  },
} as const satisfies Readonly<Record<string, Pick<ReconcileFinding, 'message' | 'whatToDo'>>>;

/** The kind of a difference: a key of `reconcileFindings`. */
export type ReconcileFindingKind = keyof typeof reconcileFindings;

/** A value of a finding: amounts are NGN. */
export type FindingValue = string | number | boolean | undefined;

/** One difference between the orders and the service, or the wallet's statement. Plain data. */
export interface ReconcileFinding {
  /** What differs. */
  readonly kind: ReconcileFindingKind;
  /** The id of the order; undefined where there is none. */
  readonly id?: string | undefined;
  /** The service's reference, where one is known. */
  readonly reference?: string | undefined;
  /** What the order has: its state, an amount in NGN, or whether it was refunded. */
  readonly stored?: FindingValue;
  /** What the service or the statement has; of a failed status check, the message of its error. */
  readonly found?: FindingValue;
  /** What differs, in a sentence. */
  readonly message: string;
  /** The next step of a person. */
  readonly whatToDo: string;
}

/** What a comparison found out about one order, or about rows of the statement. A reference stands in the place of the order's own. */
export type Difference = Omit<ReconcileFinding, 'id' | 'message' | 'whatToDo'>;

/** A difference as it is reported. */
export const findingOf = (
  { id, reference }: Pick<ReconcileFinding, 'id' | 'reference'>,
  difference: Difference,
): ReconcileFinding => ({ id, reference, ...difference, ...reconcileFindings[difference.kind] });

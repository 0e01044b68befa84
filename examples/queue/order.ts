// What both queues share: an order, and one attempt at it.
import { type BillPay, isBillPayError, nextStep } from 'billpay';

export interface Order {
  /** Also the job's id and the idempotency key: whoever works on it, and however often, buys it once. */
  readonly id: string;
  readonly biller: string;
  readonly recipient: string;
  readonly amount: number;
}

/** How an attempt ended. */
export type Attempt =
  | { readonly end: 'accepted'; readonly reference: string }
  /** Final: nothing was charged, and it would be refused again. */
  | { readonly end: 'refused'; readonly problem: string }
  /** To be repeated under the same key; `alarm` where somebody has to do something first. */
  | { readonly end: 'later'; readonly afterMs: number; readonly alarm?: string };

/** An empty wallet, a refused key: they say nothing against this order, and meet every other one alike. */
const concernsAll = [
  'InsufficientBalanceError',
  'AuthenticationError',
  'AccountRestrictedError',
  'PermissionError',
];

export async function attempt(billpay: BillPay, { id, biller, recipient, amount }: Order): Promise<Attempt> {
  try {
    const { reference } = await billpay.airtime.purchase({ biller, recipient, amount, idempotency_key: id });
    return { end: 'accepted', reference };
  } catch (error) {
    const step = nextStep(error);
    // 'resume' and 'retry' are one thing to a queue: the same call with the same key, later.
    if (step.action !== 'stop') return { end: 'later', afterMs: step.afterMs };
    if (!isBillPayError(error)) throw error;
    if (!concernsAll.includes(error.name)) return { end: 'refused', problem: error.message };
    return { end: 'later', afterMs: 60_000, alarm: error.message };
  }
}

/** The end of a sale. `failed`: the wallet has been refunded, so refund the customer. */
export interface Settlement {
  readonly reference: string;
  readonly state: 'delivered' | 'failed';
  readonly token: string | null;
}

// What both queues share: an order, and one attempt at it.
import { type BillPay, nextStep } from 'billpay';

export interface Order {
  /** Also the job's id and the idempotency key: whoever works on it, and however often, buys it once. */
  readonly id: string;
  readonly biller: string;
  readonly recipient: string;
  readonly amount: number;
}

/** The outcome of an attempt. */
export type Attempt =
  | { readonly end: 'accepted'; readonly reference: string }
  /** Final: nothing was charged, and it would be refused again. */
  | { readonly end: 'refused'; readonly problem: string }
  /**
   * Repeat it under the same key. `doubt`: money may have moved, so the next attempt must resume this one. `alarm`: somebody has to do
   * something first.
   */
  | { readonly end: 'later'; readonly afterMs: number; readonly doubt: boolean; readonly alarm?: string };

/** One attempt. `doubt`: an earlier one may have been charged, so that only an accepted response ends the doubt. */
export async function attempt(
  billpay: BillPay,
  { id, biller, recipient, amount }: Order,
  doubt: boolean,
): Promise<Attempt> {
  try {
    const { reference } = await billpay.airtime.purchase(
      { biller, recipient, amount, idempotency_key: id },
      { resume: doubt },
    );
    return { end: 'accepted', reference };
  } catch (error) {
    const step = nextStep(error);
    const problem = error instanceof Error ? error.message : String(error);
    switch (step.action) {
      case 'resume':
        return { end: 'later', afterMs: step.afterMs, doubt: true };
      case 'retry':
        return { end: 'later', afterMs: step.afterMs, doubt: false };
      // Keep the order: somebody has to fund the wallet or correct the key, or look at a purchase under a reused key.
      case 'hold':
        return { end: 'later', afterMs: 60_000, doubt: false, alarm: problem };
      case 'review':
        return { end: 'later', afterMs: 60_000, doubt: true, alarm: problem };
      case 'stop':
        return { end: 'refused', problem };
    }
  }
}

/** The end of a sale. `failed`: the wallet has been refunded, so refund the customer. */
export interface Settlement {
  readonly reference: string;
  readonly state: 'delivered' | 'failed';
  readonly token: string | null;
}

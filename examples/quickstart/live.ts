import { BillPay, isBillPayError } from 'billpay';
import { headline, say } from './print.js';

/** The smallest amount of airtime that is sold, in NGN. */
const smallest = { biller: 'MTN', recipient: process.env['BILLPAY_QUICKSTART_PHONE'] ?? '', amount: 50 };

/**
 * The same job against a real environment: one small airtime purchase, and only with `--yes`. Returns the exit code.
 */
export async function runLive(yes: boolean): Promise<number> {
  headline(`billpay quickstart against ${process.env['BILLPAY_BASE_URL']}`);
  if (!smallest.recipient) {
    say('Set BILLPAY_QUICKSTART_PHONE to the phone number that gets the airtime.');
    return 1;
  }
  say(
    `This buys ${smallest.biller} airtime for ${smallest.amount} NGN, to ${smallest.recipient}, from the wallet of this account.`,
  );
  if (!yes) {
    say('Nothing was bought. To continue: npm run quickstart -- --yes');
    return 1;
  }
  const billpay = new BillPay();
  const idempotency_key = `quickstart-${new Date().toISOString()}`;
  say(`Buying under idempotency_key ${idempotency_key} ...`);
  try {
    const purchase = await billpay.airtime.purchase({ ...smallest, idempotency_key });
    say(`Accepted: ${purchase.reference}, ${purchase.amount} NGN. Waiting for settlement ...`);
    const { transaction_status } = await billpay.transactions.waitUntilSettled(purchase.reference);
    say(`Settled: ${transaction_status}.`);
    return transaction_status === 'success' ? 0 : 1;
  } catch (error) {
    say(isBillPayError(error) ? `${error.name}: ${error.message}` : String(error));
    return 1;
  }
}

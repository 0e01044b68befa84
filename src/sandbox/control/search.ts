/** How lists are searched. */

/** What a search looks at in one item. */
export interface Searchable {
  readonly texts: readonly (string | null | undefined)[];
  /** A phone number is found in any form: `0803 123`, `+234803…`. */
  readonly recipient?: string | null | undefined;
  /** NGN: found as `1500`, `1,500` and `1,500.00`. */
  readonly amount?: number | null | undefined;
}

/** The digits of a phone number, with its leading zero and with the code of the country in place of it. */
function phoneForms(recipient: string): readonly string[] {
  const digits = recipient.replace(/\D/g, '');
  if (/^0\d{10}$/.test(digits)) return [digits, `234${digits.slice(1)}`];
  if (/^234\d{10}$/.test(digits)) return [digits, `0${digits.slice(3)}`];
  return [digits];
}

/** Whether one word of a search is found in an item. */
function hasWord(word: string, { texts, recipient, amount }: Searchable): boolean {
  if (texts.some((text) => text?.toLowerCase().includes(word))) return true;
  if (recipient?.toLowerCase().includes(word)) return true;
  if (recipient && /^[+(]?\d[\d()+.-]*$/.test(word)) {
    const digits = word.replace(/\D/g, '');
    if (phoneForms(recipient).some((form) => form.includes(digits))) return true;
  }
  if (typeof amount !== 'number') return false;
  const number = word.replace(/^(ngn|₦)/, '').replaceAll(',', '');
  return number === '' || Number(number) === amount;
}

/** Returns whether an item has every word of the text, in any order and any case; without a text, every item has. */
export function searchFor(text: string | undefined): (item: Searchable) => boolean {
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return (item) => words.every((word) => hasWord(word, item));
}

/** The fields of a transaction that a search looks at. */
export const searchableTransaction = (transaction: {
  readonly reference: string;
  readonly recipient: string;
  readonly product: string;
  readonly biller: string;
  readonly product_code?: string | null | undefined;
  readonly idempotency_key: string;
  readonly amount: number;
}): Searchable => ({
  texts: [
    transaction.reference,
    transaction.idempotency_key,
    transaction.product,
    transaction.biller,
    transaction.product_code,
  ],
  recipient: transaction.recipient,
  amount: transaction.amount,
});

import { type BillPay, type CatalogueProduct, isBillPayError, normalizePhone, type Product } from 'billpay';
import type { OrderInput } from 'billpay/orders';

/** A family of products as the shop shows it. */
export interface Shelf {
  readonly product: Product;
  readonly title: string;
  readonly hint: string;
  readonly billers: readonly string[];
  readonly recipient: string;
  readonly example: string;
  /** Whether the customer chooses an amount; else a product of the biller's list. */
  readonly free: boolean;
  /** Whether the name behind the recipient can be looked up. */
  readonly named: boolean;
}

export const shelves: readonly Shelf[] = [
  {
    product: 'airtime',
    title: 'Airtime',
    hint: 'Top up any phone',
    billers: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
    recipient: 'Phone number',
    example: '08031234567',
    free: true,
    named: false,
  },
  {
    product: 'data',
    title: 'Data',
    hint: 'Bundles of every network',
    billers: ['MTN', 'AIRTEL', 'GLO', '9MOBILE'],
    recipient: 'Phone number',
    example: '08031234567',
    free: false,
    named: false,
  },
  {
    product: 'tv',
    title: 'Cable TV',
    hint: 'Renew a subscription',
    billers: ['DSTV', 'GOTV', 'STARTIMES'],
    recipient: 'Smartcard number',
    example: '02110144711',
    free: false,
    named: true,
  },
  {
    product: 'electricity',
    title: 'Electricity',
    hint: 'A token for your meter',
    billers: ['IKEDC', 'EKEDC', 'AEDC'],
    recipient: 'Meter number',
    example: '0124000952992',
    free: true,
    named: true,
  },
  {
    product: 'edu',
    title: 'Education',
    hint: 'Result checker PINs',
    billers: ['WAEC', 'NECO', 'NABTEB', 'JAMB'],
    recipient: 'Profile ID, for WAEC a phone number',
    example: '08031234567',
    free: false,
    named: false,
  },
];

/** The biller's products; none for what has a free amount. */
export async function productsOf(
  billpay: BillPay,
  { product }: Shelf,
  biller: string,
): Promise<CatalogueProduct[]> {
  if (product === 'airtime' || product === 'electricity') return [];
  return (await billpay[product].products({ biller })).products;
}

/** The form of a customer. */
export interface Choice {
  readonly biller: string;
  readonly recipient: string;
  readonly amount: number | undefined;
  readonly productCode: string | undefined;
  readonly meterType: 'prepaid' | 'postpaid';
}

/** What is wrong with the fields of a form, by their names. */
export type Problems = Readonly<Record<string, string>>;

const isPhone = ({ product }: Shelf, biller: string): boolean =>
  product === 'airtime' || product === 'data' || (product === 'edu' && biller === 'WAEC');

/** A choice whose numbers are written as the service takes them, and what the customer has to correct before anything is looked up or paid. */
export function checkedChoice(shelf: Shelf, choice: Choice): { choice: Choice; problems: Problems } {
  const problems: Record<string, string> = {};
  let { recipient } = choice;
  if (isPhone(shelf, choice.biller)) {
    try {
      recipient = normalizePhone(recipient);
    } catch {
      problems['recipient'] = 'This is not a Nigerian phone number. It has 11 digits, such as 08031234567.';
    }
  } else {
    recipient = recipient.replace(/[\s-]/g, '');
    if (!/^[0-9A-Za-z]{6,20}$/.test(recipient))
      problems['recipient'] = `Check the ${shelf.recipient.toLowerCase()}.`;
  }
  if (shelf.free && !(choice.amount && choice.amount >= 50))
    problems['amount'] = 'The amount must be at least ₦50.';
  return { choice: { ...choice, recipient }, problems };
}

/** The fields that the service objects to; undefined where something else went wrong. */
export function problemsOf(error: unknown): Problems | undefined {
  if (!isBillPayError(error)) return undefined;
  if (error.name === 'ValidationError') return error.errors;
  if (error.name === 'VerificationFailedError')
    return { recipient: 'Nobody is known under this number. Check it and try again.' };
  return undefined;
}

/** A choice with its price and the name behind the recipient. */
export interface Offer {
  readonly title: string;
  readonly price: number;
  readonly customerName: string | null;
  readonly address: string | null;
  readonly item: Pick<OrderInput, 'product' | 'params'>;
}

/** Looks up the price and the name: throws the SDK's error where the service refuses either. */
export async function offerFor(billpay: BillPay, shelf: Shelf, choice: Choice): Promise<Offer> {
  const { biller, recipient, amount = 0, productCode = '', meterType } = choice;
  const nobody = { customerName: null, address: null };
  switch (shelf.product) {
    case 'airtime':
      return {
        ...nobody,
        title: `${biller} airtime`,
        price: amount,
        item: { product: 'airtime', params: { biller, recipient, amount } },
      };
    case 'electricity': {
      const meter = { biller, recipient, meter_type: meterType };
      const { customer_name, address = '' } = await billpay.electricity.validate(meter);
      return {
        customerName: customer_name,
        address,
        title: `${biller} electricity, ${meterType}`,
        price: amount,
        item: { product: 'electricity', params: { ...meter, amount } },
      };
    }
    default: {
      const { product } = shelf;
      const chosen = (await productsOf(billpay, shelf, biller)).find(
        (one) => one.product_code === productCode,
      );
      if (!chosen) throw new Error('This product is not on the list any more: choose again.');
      const name = product === 'tv' ? (await billpay.tv.validate({ biller, recipient })).customer_name : null;
      const params = { biller, recipient, product_code: productCode };
      return {
        customerName: name,
        address: null,
        title: `${biller} ${chosen.name}`,
        price: chosen.amount,
        // Refused, not sold at another price, should the list change before the purchase.
        item:
          product === 'edu' ? { product, params } : { product, params: { ...params, amount: chosen.amount } },
      };
    }
  }
}

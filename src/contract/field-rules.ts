import { maximumUrlLength, minimumAmount } from './limits.js';
import { custom, exactOptional } from './schema.js';
import { type MeterType, meterTypes } from './vocabulary.js';

/**
 * One check a field: what is wrong with a value, in words that a caller can act on. Checks stop where service.md stops: phone
 * formats, biller names, largest amounts are the service's to judge.
 */

const wasGiven = (input: unknown): boolean => input !== undefined && input !== null;

function wordsProblem(input: unknown, what: string): string | undefined {
  if (typeof input !== 'string')
    return wasGiven(input) ? `must be a string: the ${what}` : `is required: the ${what}`;
  return input.trim() === '' ? `must not be empty: give the ${what}` : undefined;
}

const words = (what: string) => custom<string>((input) => wordsProblem(input, what));

/** A phone, meter, card, profile or reference: digits to the eye, but never a number. */
export const identifier = (what: string, example: string) =>
  custom<string>((input) =>
    typeof input === 'number' || typeof input === 'bigint'
      ? `must be a string, not a number: a number loses leading zeros; write the ${what} in quotes, such as '${example}'`
      : wordsProblem(input, `${what}, such as '${example}'`),
  );

/** Any non-empty string in any case: the lists of billers grow and are renamed. */
export const biller = (example: string) => words(`biller, such as '${example}'`);

export const productCode = () => words("product_code from this biller's products list");

export const meterType = () =>
  custom<MeterType>((input) =>
    meterTypes.some((known) => known === input)
      ? undefined
      : `${wasGiven(input) ? 'must be' : 'is required:'} 'prepaid' or 'postpaid'`,
  );

export const yesOrNo = () =>
  custom<boolean>((input) => (typeof input === 'boolean' ? undefined : 'must be true or false'));

/** NGN as a finite number of at least 0.01. */
export const amount = () =>
  custom<number>((input) => {
    if (!wasGiven(input)) return 'is required: the amount in NGN, as a number';
    if (typeof input === 'string') return 'must be a number of NGN, not a string: 500, not "500"';
    if (typeof input !== 'number') return 'must be a number of NGN';
    if (!Number.isFinite(input)) return `must be a finite number of NGN, not ${input}`;
    return input < minimumAmount ? `must be at least ${minimumAmount} NGN` : undefined;
  });

/** A whole number of at least 1. */
export const quantity = () =>
  custom<number>((input) =>
    typeof input === 'number' && Number.isSafeInteger(input) && input >= 1
      ? undefined
      : 'must be a whole number of at least 1',
  );

/**
 * Absent or a non-empty string. Present but `undefined` is refused: that is an order whose id was not read, and
 * a key made on the spot would let it be bought twice.
 */
export const idempotencyKey = () =>
  exactOptional(
    custom<string>((input) => {
      const what = "unique value for this sale, such as the order's id";
      if (typeof input === 'string') return wordsProblem(input, what);
      return input === undefined
        ? "was given as undefined: give your order's own id, or leave idempotency_key out to have one made"
        : `must be a string: your ${what}`;
    }),
  );

const loopbackHost = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Whether a URL's host name is this very machine: `localhost`, 127.0.0.0/8 or `[::1]`. */
export const isLoopbackHost = (hostname: string): boolean => loopbackHost.test(hostname);

/** What is wrong with a webhook url, or undefined. https; http on loopback hosts only; at most 2048 characters. */
export function webhookUrlProblem(value: string): string | undefined {
  if (value.length > maximumUrlLength) {
    return `must be at most ${maximumUrlLength} characters; this one has ${value.length}`;
  }
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed) return "must be a full URL, such as 'https://example.com/webhooks/billpay'";
  if (parsed.protocol === 'https:') return undefined;
  if (parsed.protocol === 'http:') {
    return isLoopbackHost(parsed.hostname)
      ? undefined
      : 'must be https: http is accepted for loopback hosts only (localhost, 127.0.0.1, [::1])';
  }
  return 'must be an https URL';
}

export const url = () =>
  custom<string>(
    (input) => wordsProblem(input, 'webhook endpoint, an https URL') ?? webhookUrlProblem(String(input)),
  );

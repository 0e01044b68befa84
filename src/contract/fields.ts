import * as z from 'zod/mini';
import { maximumUrlLength, minimumAmount } from './limits.js';
import { type MeterType, meterTypes } from './vocabulary.js';

/**
 * One check a field, each with words that a caller can act on. Checks stop where service.md stops: phone
 * formats, biller names, largest amounts are the service's to judge.
 */

const wasGiven = (input: unknown): boolean => input !== undefined && input !== null;

const filled = (what: string) =>
  z.refine<string>((value) => value.trim() !== '', { error: `must not be empty: give the ${what}` });

function words(what: string) {
  return z
    .string({
      error: ({ input }) => (wasGiven(input) ? `must be a string: the ${what}` : `is required: the ${what}`),
    })
    .check(filled(what));
}

/** A phone, meter, card, profile or reference: digits to the eye, but never a number. */
export function identifier(what: string, example: string) {
  return z
    .string({
      error: ({ input }) => {
        if (typeof input === 'number' || typeof input === 'bigint') {
          return `must be a string, not a number: a number loses leading zeros; write the ${what} in quotes, such as '${example}'`;
        }
        return wasGiven(input)
          ? `must be a string: the ${what}, such as '${example}'`
          : `is required: the ${what}, such as '${example}'`;
      },
    })
    .check(filled(what));
}

/** Any non-empty string in any case: the lists of billers grow and are renamed. */
export const biller = (example: string) => words(`biller, such as '${example}'`);

export const productCode = () => words("product_code from this biller's products list");

export const meterType = () =>
  z.custom<MeterType>((value) => meterTypes.some((known) => known === value), {
    error: ({ input }) =>
      wasGiven(input) ? "must be 'prepaid' or 'postpaid'" : "is required: 'prepaid' or 'postpaid'",
  });

/** `true` or `false`. A custom check, like the other rare types: each kind of schema that zod brings adds to the bundle. */
export const yesOrNo = () =>
  z.custom<boolean>((value) => typeof value === 'boolean', { error: 'must be true or false' });

/** NGN as a finite number of at least 0.01. */
export function amount() {
  return z
    .number({
      error: ({ input }) => {
        if (!wasGiven(input)) return 'is required: the amount in NGN, as a number';
        if (typeof input === 'string') return 'must be a number of NGN, not a string: 500, not "500"';
        if (typeof input === 'number') return `must be a finite number of NGN, not ${input}`;
        return 'must be a number of NGN';
      },
    })
    .check(
      z.refine<number>((value) => value >= minimumAmount, { error: `must be at least ${minimumAmount} NGN` }),
    );
}

/** A whole number of at least 1. */
export const quantity = () =>
  z.number({ error: 'must be a whole number of at least 1' }).check(
    z.refine<number>((value) => Number.isSafeInteger(value) && value >= 1, {
      error: 'must be a whole number of at least 1',
    }),
  );

/**
 * Absent or a non-empty string. Present but `undefined` is refused: that is an order whose id was not read, and
 * a key made on the spot would let it be bought twice.
 */
export const idempotencyKey = () =>
  z.exactOptional(
    z
      .string({
        error: ({ input }) =>
          input === undefined
            ? "was given as undefined: give your order's own id, or leave idempotency_key out to have one made"
            : "must be a string: your unique value for this sale, such as the order's id",
      })
      .check(filled("unique value for this sale, such as the order's id")),
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
  words('webhook endpoint, an https URL').check(
    z.refine<string>((value) => value.trim() === '' || webhookUrlProblem(value) === undefined, {
      error: ({ input }) => webhookUrlProblem(String(input)),
    }),
  );

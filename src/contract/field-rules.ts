import * as z from 'zod/mini';
import { maximumUrlLength, meterTypes, minimumAmount } from './vocabulary.js';

/**
 * One rule for each kind of field, with a message that says how to fix the value. The rules stop where the service's
 * documentation stops: formats of phone numbers, names of billers and largest amounts are for the service to judge.
 */

/** `abort` on every check: only the first problem of a field is reported. */
const abort = true;

const isMissing = (input: unknown): boolean => input === undefined || input === null;

const notBlank = (what: string) => z.regex(/\S/, { error: `must not be empty: give the ${what}`, abort });

/** A string with at least one visible character. */
const text = (what: string) =>
  z
    .string({
      error: ({ input }) => (isMissing(input) ? `is required: the ${what}` : `must be a string: the ${what}`),
    })
    .check(notBlank(what));

/** A phone, meter, card, profile or reference number: digits, but never a JavaScript number. */
export const identifier = (name: string, example: string) => {
  const what = `${name}, such as '${example}'`;
  return z
    .string({
      error: ({ input }) =>
        typeof input === 'number' || typeof input === 'bigint'
          ? `must be a string, not a number: a number loses leading zeros; write the ${name} in quotes, such as '${example}'`
          : isMissing(input)
            ? `is required: the ${what}`
            : `must be a string: the ${what}`,
    })
    .check(notBlank(what));
};

/** Any non-empty string in any case, because lists of billers grow and billers are renamed. */
export const biller = (example: string) => text(`biller, such as '${example}'`);

export const productCode = () => text("product_code from this biller's products list");

export const meterType = () =>
  z.enum(meterTypes, {
    error: ({ input }) => `${isMissing(input) ? 'is required:' : 'must be'} 'prepaid' or 'postpaid'`,
  });

export const boolean = () => z.boolean({ error: 'must be true or false' });

/** NGN, as a finite number of at least 0.01. */
export const amount = () =>
  z
    .number({ error: ({ input }) => amountProblem(input) })
    .check(z.minimum(minimumAmount, { error: `must be at least ${minimumAmount} NGN`, abort }));

function amountProblem(input: unknown): string {
  if (isMissing(input)) return 'is required: the amount in NGN, as a number';
  if (typeof input === 'string') return 'must be a number of NGN, not a string: 500, not "500"';
  return typeof input === 'number'
    ? `must be a finite number of NGN, not ${input}`
    : 'must be a number of NGN';
}

const quantityProblem = 'must be a whole number of at least 1';

/** A whole number of at least 1. */
export const quantity = () => z.int({ error: quantityProblem, abort }).check(z.minimum(1));

const keyDescription = "unique value for this purchase, such as the order's id";

/**
 * Left out, or a non-empty string. A key that is present but `undefined` is refused: the id of an order was not
 * read, and with a key made for the call that order could be bought twice.
 */
export const idempotencyKey = () =>
  z.exactOptional(
    z
      .string({
        error: ({ input }) =>
          input === undefined
            ? "was given as undefined: give your order's own id, or leave idempotency_key out to have one made"
            : `must be a string: your ${keyDescription}`,
      })
      .check(notBlank(keyDescription)),
  );

const loopbackHost = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host, as a URL or a socket names it, is this machine: `localhost`, 127.0.0.0/8 or `::1`. */
export const isLoopbackHost = (host: string): boolean => loopbackHost.test(host);

/** `localhost:3000/hook`, which also parses as a URL of a scheme named localhost. */
const hostWithoutScheme = /^(localhost|\[::1\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/i;

/** The reason why a webhook URL is refused: it must be https, or http on a loopback host, and at most 2048 characters long. */
export function webhookUrlProblem(value: string): string | undefined {
  if (value.length > maximumUrlLength) {
    return `must be at most ${maximumUrlLength} characters; this one has ${value.length}`;
  }
  const [, host] = hostWithoutScheme.exec(value) ?? [];
  if (host !== undefined)
    return `lacks its scheme: write ${isLoopbackHost(host) ? 'http' : 'https'}://${value}`;
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

/** The address of a webhook endpoint. */
export const url = () =>
  text('webhook endpoint, an https URL').check(
    z.maxLength(maximumUrlLength, { error: ({ input }) => webhookUrlProblem(String(input)), abort }),
    z.refine((value) => webhookUrlProblem(value) === undefined, {
      error: ({ input }) => webhookUrlProblem(String(input)),
      abort,
    }),
  );

import { defineHidden, type InspectArguments, printAs } from '../utils/print.js';

/** What is known about a call when it fails. */
export interface ErrorContext {
  /** The operation's name, such as `airtime.purchase`; undefined outside a call. */
  operation?: string | undefined;
  /** How many requests were sent (default 0). */
  attempts?: number | undefined;
  /** The purchase's idempotency_key, from the caller or generated. */
  idempotencyKey?: string | undefined;
  /** Whether a debit cannot be ruled out (default false). */
  mayHaveCharged?: boolean | undefined;
  /** The error that led to this one. */
  cause?: unknown;
}

/** Marks the parent of a class of this package, which has the `billpayName` in its place: see `errorClass`. */
export const isErrorClass = Symbol('isErrorClass');

/** What a class of this package adds to its parent, so that a `switch` on `name` or `code` narrows to it. */
export interface Named<Name extends string, Code> {
  readonly name: Name;
  readonly code: Code;
}

/**
 * The parent of every error that this package throws.
 *
 * @example
 * ```ts
 * try {
 *   await billpay.airtime.purchase(params);
 * } catch (error) {
 *   if (error instanceof BillPayError && error.mayHaveCharged) {
 *     // The outcome is unknown, not failed: repeat the same call with error.idempotencyKey; it never buys twice.
 *   }
 * }
 * ```
 */
export class BillPayError extends Error {
  /** @internal The class's name, by which `instanceof` recognises it across the ESM and CommonJS copies of this package. */
  static readonly billpayName: string = 'BillPayError';

  /** The class's name; minifiers do not change it. */
  declare readonly name: string;
  /** The service's code if the response has one, otherwise a code of this package; see each class. */
  declare readonly code: string | undefined;
  /** The operation that failed, such as `airtime.purchase`; undefined outside a call. */
  readonly operation: string | undefined;
  /** How many requests were sent; 0 when the call was refused before anything was sent. */
  readonly attempts: number;
  /** The purchase's idempotency_key, from the caller or generated: the same call with the same key never buys twice. */
  readonly idempotencyKey: string | undefined;
  /**
   * True whenever a debit cannot be ruled out. Then the outcome of the purchase is *unknown*, not failed: do not refund your customer,
   * repeat the call with `idempotencyKey`.
   */
  readonly mayHaveCharged: boolean;

  constructor(message: string, context: ErrorContext & { code?: string | undefined } = {}) {
    const { cause } = context;
    super(message, cause === undefined ? undefined : { cause });
    defineHidden(this, 'name', new.target.billpayName);
    printAs(this, inspected);
    // Again, now that the name is known: a stack begins with it, whatever a minifier made of the class's own name.
    if ('captureStackTrace' in Error) Error.captureStackTrace(this, new.target);
    this.code = context.code;
    this.operation = context.operation;
    this.attempts = context.attempts ?? 0;
    this.idempotencyKey = context.idempotencyKey;
    this.mayHaveCharged = context.mayHaveCharged ?? false;
  }

  /** What is printed: never a body, headers, a purchase or a transaction, which programs read as properties. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...printed(this) };
  }

  static override [Symbol.hasInstance](this: object, value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of instanceof, often a subclass.
    return isInstance(this, value);
  }
}

/**
 * The parent of a class that has a code of this package: name and code come from here.
 * `class QuietError extends errorClass('QuietError', 'QUIET') {}`
 */
// @__NO_SIDE_EFFECTS__
export function errorClass<const Name extends string, const Code extends string>(
  name: Name,
  code: Code,
): new (
  message: string,
  context?: ErrorContext,
) => BillPayError & Named<Name, Code> {
  return class extends BillPayError {
    static override readonly billpayName: string = name;
    static readonly [isErrorClass] = true;
    declare readonly name: Name;
    declare readonly code: Code;

    constructor(message: string, context: ErrorContext = {}) {
      super(message, { ...context, code });
    }
  };
}

/** An option is missing or wrong. The message names it, says what is wrong and what to do. */
export class ConfigurationError extends errorClass('ConfigurationError', 'CONFIGURATION') {
  /** The option's name, such as `baseUrl`; where several are missing, the first of those that the message names. */
  readonly option: string;

  constructor(option: string | readonly [string, ...string[]], message: string) {
    const names = typeof option === 'string' ? ([option] as const) : option;
    super(`${names.join(', ')}: ${message}`);
    this.option = names[0];
  }
}

const printedFields = ['status', 'code', 'operation', 'attempts', 'idempotencyKey', 'mayHaveCharged'];

/** What is printed of an error besides its name and message. A field that is hidden, such as a code that is none, is left out. */
const printed = (error: BillPayError): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(error).filter(([name, value]) => printedFields.includes(name) && value !== undefined),
  );

/** What `console.log` and `util.inspect` show. */
function inspected(this: BillPayError, ...[, options, inspect]: InspectArguments): string {
  const fields = printed(this);
  const head = this.stack ?? `${this.name}: ${this.message}`;
  return `${head} ${inspect ? inspect(fields, options) : JSON.stringify(fields)}`;
}

const nameKey = 'billpayName' satisfies keyof typeof BillPayError;

/** The name of a class of this package. A subclass of the caller's has none of its own, although it inherits one. */
function ownNameOf(owner: object): unknown {
  if (Object.hasOwn(owner, nameKey)) return Reflect.get(owner, nameKey);
  const parent: unknown = Object.getPrototypeOf(owner);
  return Object.hasOwn(Object(parent), isErrorClass) ? Reflect.get(Object(parent), nameKey) : undefined;
}

/** Classes of this package are recognised by their names, across its copies, and a subclass of the caller's as usual. */
function isInstance(owner: object, value: unknown): boolean {
  try {
    const own = ownNameOf(owner);
    if (own === undefined) return Function.prototype[Symbol.hasInstance].call(owner, value);
    if (!(value instanceof Error)) return false;
    for (let at: unknown = Object.getPrototypeOf(value); at; at = Object.getPrototypeOf(at)) {
      const type: unknown = Reflect.get(Object(at), 'constructor');
      if (typeof type === 'function' && Object.hasOwn(type, nameKey) && Reflect.get(type, nameKey) === own)
        return true;
    }
    return false;
  } catch {
    // A revoked proxy, or a trap or getter that throws. Anything may be caught, and asking what it is must not throw.
    return false;
  }
}

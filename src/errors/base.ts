import { printable, redactValue } from './redact.js';

/** Carries each class's name, so that `instanceof` can see across the ESM and CommonJS copies of this package. */
export const brand = Symbol.for('billpay.error');

/** What is known about a call when it fails. */
export interface ErrorContext {
  /** The operation's name, such as `airtime.purchase`; undefined outside a call. */
  operation?: string | undefined;
  /** How many requests were sent (default 0). */
  attempts?: number | undefined;
  /** The key of the purchase, given or made. */
  idempotencyKey?: string | undefined;
  /** Whether a debit cannot be ruled out (default false). */
  mayHaveCharged?: boolean | undefined;
  /** What lies behind it. */
  cause?: unknown;
}

/**
 * The root of everything this package throws.
 *
 * @example
 * ```ts
 * try {
 *   await billpay.airtime.purchase(params);
 * } catch (error) {
 *   if (error instanceof BillPayError && error.mayHaveCharged) {
 *     // Unknown, not failed: repeat the same call with error.idempotencyKey; it never buys twice.
 *   }
 * }
 * ```
 */
export class BillPayError extends Error {
  /** @internal */
  static readonly [brand]: string = 'BillPayError';

  /** The class's name; survives minifiers. */
  declare readonly name: string;
  /** The service's own code where it gave one, else one of this package's; see each class. */
  declare readonly code: string | undefined;
  /** The operation that failed, such as `airtime.purchase`; undefined outside a call. */
  readonly operation: string | undefined;
  /** How many requests were sent; 0 when it was refused before anything was sent. */
  readonly attempts: number;
  /** The key of the purchase, given or made: the same call with the same key never buys twice. */
  readonly idempotencyKey: string | undefined;
  /**
   * True whenever a debit cannot be ruled out. Then the sale is *unknown*, not failed: do not refund, repeat the call
   * with `idempotencyKey`.
   */
  readonly mayHaveCharged: boolean;

  constructor(message: string, context: ErrorContext & { code?: string | undefined } = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    defineHidden(this, 'name', new.target[brand]);
    // Again, now that the name is known: a stack begins with it, whatever a minifier made of the class's own.
    if ('captureStackTrace' in Error) Error.captureStackTrace(this, new.target);
    this.code = context.code;
    this.operation = context.operation;
    this.attempts = context.attempts ?? 0;
    this.idempotencyKey = context.idempotencyKey;
    this.mayHaveCharged = context.mayHaveCharged ?? false;
  }

  /** Everything that may be printed: secrets, tokens and PINs are redacted. */
  toJSON(): Record<string, unknown> {
    const cause = printableCause(this.cause);
    return {
      name: this.name,
      message: this.message,
      ...printable(this),
      ...(cause !== undefined && { cause: plain(cause) }),
    };
  }

  /** What `console.log` and `util.inspect` show in Node, Bun and Deno. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect?: (value: unknown, options: object) => string,
  ): string {
    const head = this.stack ?? `${this.name}: ${this.message}`;
    const cause = printableCause(this.cause);
    const fields = { ...printable(this), ...(cause !== undefined && { cause }) };
    return `${head} ${inspect ? inspect(fields, options) : JSON.stringify(fields)}`;
  }

  static override [Symbol.hasInstance](this: object, value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of instanceof, often a subclass.
    return isInstance(this, value);
  }
}

/** A cause as it may be printed: ours know how, and whatever a caller's signal was aborted with is cleaned. */
const printableCause = (cause: unknown): unknown =>
  cause instanceof BillPayError ? cause : redactValue(cause);

/** An error as JSON would otherwise lose it. */
const plain = (cause: unknown): unknown =>
  cause instanceof Error && !(cause instanceof BillPayError)
    ? Object.assign({ name: cause.name, message: cause.message }, cause)
    : cause;

/** Ours are told by their brand; a subclass that a caller derives has none of its own and is told as usual. */
function isInstance(owner: object, value: unknown): boolean {
  try {
    return Object.hasOwn(owner, brand)
      ? brandsOf(value).includes(Reflect.get(owner, brand))
      : Function.prototype[Symbol.hasInstance].call(owner, value);
  } catch {
    // A revoked proxy, or a trap or getter that throws: anything may be caught, and to ask what it is must not throw.
    return false;
  }
}

/** The brands of an error, its own class first; empty for anything that is not one of ours. */
function brandsOf(value: unknown): unknown[] {
  const brands: unknown[] = [];
  if (!(value instanceof Error)) return brands;
  for (let at: unknown = Object.getPrototypeOf(value); at; at = Object.getPrototypeOf(at)) {
    const owner: unknown = Reflect.get(Object(at), 'constructor');
    if (typeof owner === 'function' && Object.hasOwn(owner, brand)) brands.push(Reflect.get(owner, brand));
  }
  return brands;
}

/** Sets a property that printing and spreading pass over: what it holds may be secret. */
export function defineHidden(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true });
}

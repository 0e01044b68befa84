/** What a call ended in, with the answer it came from. */
export interface CallResult<T> {
  /** What the promise itself resolves to. */
  readonly data: T;
  /** The answer: status, headers and a body that can still be read. */
  readonly response: Response;
  /** How many requests were sent. */
  readonly attempts: number;
}

/**
 * The promise that every call returns: await it for the result, or `.withResponse()` for the answer too.
 *
 * @example
 * ```ts
 * const purchase = await billpay.airtime.purchase(params);
 * const { data, response, attempts } = await billpay.airtime.purchase(params).withResponse();
 * ```
 */
export class ApiCall<T> extends Promise<T> {
  readonly #outcome: Promise<CallResult<T>>;

  /** `then`, `catch` and `finally` give ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(outcome: Promise<CallResult<T>>) {
    super((resolve, reject) => {
      outcome.then(({ data }) => resolve(data), reject);
    });
    this.#outcome = outcome;
  }

  /** The result with its `Response` and the number of attempts. Rejects as the call itself does, and instead of it. */
  withResponse(): Promise<CallResult<T>> {
    this.catch(() => {});
    return this.#outcome.then((result) => result);
  }

  /** What `console.log` and `util.inspect` show: never what it resolves to, which may hold a token or a secret. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'ApiCall [Promise]';
  }
}

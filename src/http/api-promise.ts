import { printAs } from '../utils/print-as.js';
import type { ReceivedResponse } from './transport.js';

/** The result of a call, with the response it came from. */
export interface CallResult<T> {
  /** What the promise itself resolves to. */
  readonly data: T;
  /** Status, headers and a body that can still be read. */
  readonly response: Response;
  /** How many requests were sent. */
  readonly attempts: number;
}

/**
 * The promise that every call returns: await it for the result, or `.withResponse()` for the response too.
 *
 * @example
 * ```ts
 * const purchase = await billpay.airtime.purchase(params);
 * const { data, response, attempts } = await billpay.airtime.purchase(params).withResponse();
 * ```
 */
export interface ApiCall<T> extends Promise<T> {
  /** The result with its `Response` and the number of attempts. Rejects with the call's own error, and takes its place. */
  withResponse(): Promise<CallResult<T>>;
}

/** The one implementation of `ApiCall`. */
export class ApiCallPromise<T> extends Promise<T> implements ApiCall<T> {
  readonly #outcome: Promise<CallResult<T>>;

  /** `then`, `catch` and `finally` give ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(outcome: Promise<CallResult<T>>) {
    // V8 finds the caller's frames for `error.stack` by following promises that have a single reaction, which is an await, a `then` that
    // returns another promise, or the resolving functions themselves.
    super((resolve, reject) => {
      dataOf(outcome).then(resolve, reject);
    });
    this.#outcome = outcome;
    printAs(this, inspected);
  }

  withResponse(): Promise<CallResult<T>> {
    return this.then(() => this.#outcome);
  }
}

/** What `console.log` and `util.inspect` show: never the result, which may hold a token or a secret. */
const inspected = () => 'ApiCall [Promise]';

async function dataOf<T>(outcome: Promise<CallResult<T>>): Promise<T> {
  return (await outcome).data;
}

/** The result of a call. Its `Response` is rebuilt only when it is asked for, because the body of the original has been read. */
export function createCallResult<T>(data: T, received: ReceivedResponse, attempts: number): CallResult<T> {
  let response: Response | undefined;
  return {
    data,
    attempts,
    get response() {
      response ??= rebuildResponse(received);
      return response;
    },
  };
}

/** Statuses with which a `Response` must not have a body. */
const bodylessStatuses = [204, 205, 304];

/** The status texts that a `Response` accepts; a socket may bring any text. */
const validStatusText = /^[\t\x20-\x7e\x80-\xff]*$/;

function rebuildResponse({ status, statusText, headers, text, url }: ReceivedResponse): Response {
  const response = new Response(bodylessStatuses.includes(status) ? null : text, {
    status,
    statusText: validStatusText.test(statusText) ? statusText : '',
    headers,
  });
  return Object.defineProperty(response, 'url', { value: url });
}

import { type OperationName, operations } from '../../contract/operations.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { isRecord } from '../../utils/is-record.js';
import { assertOption, isWholeNumber } from '../../validation/options.js';
import { type Duration, durationMs } from './duration.js';
import { checkNames, isText } from './fields.js';
import { isOperationName } from './routes.js';

/**
 * One thing to go wrong. Without matchers it meets the next request of any kind.
 *
 * @example
 * ```ts
 * sandbox.faults.add({ operation: 'airtime.purchase', when: 'after', connection: 'close' }); // debited, response lost
 * sandbox.faults.add({ status: 429, retryAfter: 2, times: 3 });
 * ```
 */
export interface FaultOptions {
  /** Only these calls, such as `'airtime.purchase'` (default: any request). */
  readonly operation?: OperationName | readonly OperationName[];
  /** Only this recipient (default: any). */
  readonly recipient?: string;
  /** Only this client (default: any). */
  readonly clientId?: string;
  /** How many requests it meets; `Infinity` until it is removed (default 1). */
  readonly times?: number;
  /** Whether it strikes before the request is processed, so that nothing happens, or after (default `'before'`). */
  readonly when?: 'before' | 'after';
  /** Delays the request: ms or a text such as `'3s'`. Alone, the request is then served as usual. */
  readonly delay?: Duration;
  /** Responds with this HTTP status instead of the service's response. */
  readonly status?: number;
  /** The error envelope's `code` (default: the first that is documented for the status). */
  readonly code?: string;
  /** The error envelope's `message`. */
  readonly message?: string;
  /** The body instead: an object is sent as JSON, text unchanged (as HTML if it begins with `<`). */
  readonly body?: string | Readonly<Record<string, unknown>> | readonly unknown[];
  /** Headers to add to the response, or to replace in it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A `Retry-After` value, sent unchanged: seconds, a date, or nonsense. Whole seconds also go into the body. */
  readonly retryAfter?: number | string;
  /** `'close'`: the connection closes without a response. */
  readonly connection?: 'close';
  /** Cuts the body off: `true` halfway, a number after so many bytes. Alone, it cuts the service's own response. */
  readonly cutBody?: boolean | number;
}

const faultNames: readonly (keyof FaultOptions)[] = [
  'operation',
  'recipient',
  'clientId',
  'times',
  'when',
  'delay',
  'status',
  'code',
  'message',
  'body',
  'headers',
  'retryAfter',
  'connection',
  'cutBody',
];

/** What node:http and `fetch` accept: a token as the name, and visible Latin-1 text, blanks and tabs as the value. */
const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^`|~\w-]+$/.test(name);
const isHeaderValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);

const isHeaders = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text));

/** What each field of a fault must be. */
const faultRules: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  operation: [
    (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isOperationName) : isOperationName(value),
    `must be one of the calls, or a list of them: ${Object.keys(operations).join(', ')}`,
  ],
  recipient: [isText, 'must be a non-empty string'],
  clientId: [isText, 'must be a non-empty string'],
  times: [
    (value) => isWholeNumber(value, 1) || value === Number.POSITIVE_INFINITY,
    'must be a whole number of at least 1, or Infinity',
  ],
  when: [(value) => value === 'before' || value === 'after', "must be 'before' or 'after' (the processing)"],
  status: [
    (value) => isWholeNumber(value, 200) && Number(value) <= 599,
    'must be an HTTP status from 200 to 599',
  ],
  code: [isText, 'must be a non-empty string'],
  message: [(value) => typeof value === 'string', 'must be a string'],
  body: [
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
    'must be a string, or an object or list to send as JSON',
  ],
  headers: [
    isHeaders,
    'must be an object of header names and values that HTTP allows: no line breaks, no control characters, no text beyond Latin-1',
  ],
  retryAfter: [
    (value) => isHeaderValue(value) || (typeof value === 'number' && Number.isFinite(value)),
    'must be a number of seconds, or the text of the header without line breaks or control characters',
  ],
  connection: [(value) => value === 'close', "must be 'close'"],
  cutBody: [
    (value) => typeof value === 'boolean' || isWholeNumber(value, 0),
    'must be true (cut halfway), or a whole number of bytes to let through',
  ],
};

/** Checks a fault. */
export function checkFault(fault: unknown): FaultOptions {
  const given = checkNames('fault', fault ?? null, faultNames);
  for (const [name, [isRight, problem]] of Object.entries(faultRules)) {
    const value = given[name];
    assertOption(value === undefined || isRight(value), `fault.${name}`, problem);
  }
  if (given['delay'] !== undefined) durationMs('fault.delay', given['delay']);
  const effects = ['delay', 'status', 'body', 'headers', 'retryAfter', 'connection', 'cutBody'];
  if (!effects.some((name) => given[name] !== undefined)) {
    throw new ConfigurationError('fault', `does nothing; give at least one of ${effects.join(', ')}`);
  }
  return given;
}

const corruptions = ['bad-signature', 'old-timestamp', 'duplicate', 'reordered'] as const;

/** Checks what `corruptDeliveries` was given, and gives it back. */
export function checkCorruption(
  how: unknown,
  times: unknown,
): [how: (typeof corruptions)[number], times: number] {
  const known = corruptions.find((one) => one === how);
  assertOption(known, 'how', `must be one of ${corruptions.join(', ')}`);
  assertOption(isWholeNumber(times, 1), 'times', 'must be a whole number of at least 1');
  return [known, times];
}

/** A fault as JSON has it: `"times": "always"` stands for Infinity, which JSON lacks. Throws like `checkFault`. */
export function faultFromJson({ times, ...rest }: Readonly<Record<string, unknown>>): FaultOptions {
  const count = times === 'always' ? Number.POSITIVE_INFINITY : times;
  return checkFault({ ...rest, ...(count === undefined ? {} : { times: count }) });
}

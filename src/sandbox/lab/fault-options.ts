import * as z from 'zod/mini';
import { type OperationName, operations } from '../../contract/operations.js';
import { isRecord } from '../../utils/is-record.js';
import { isWholeNumber } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { isOperationName } from '../rules/routes.js';
import type { Duration } from '../schemas/duration.js';
import {
  allOptional,
  duration,
  kind,
  numberOrText,
  text,
  whole,
  withoutUndefined,
  wordOf,
} from '../schemas/kinds.js';

/**
 * One thing to go wrong. Without matchers it applies to the next request of any kind.
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
  /** How many requests it applies to; `Infinity` until it is removed (default 1). */
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

/** What node:http and `fetch` accept: a token as the name, and visible Latin-1 text, blanks and tabs as the value. */
const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^`|~\w-]+$/.test(name);
const isHeaderValue = (value: unknown): boolean =>
  typeof value === 'string' && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);

const isHeaders = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text));

const operationNames = Object.keys(operations);

/**
 * Every field of a fault: what it takes, its words in the OpenAPI document, in the schema of the configuration file and in the help of
 * `faults add`, and its flag there. A new field is added here and to the type.
 */
const fields = {
  operation: kind<OperationName | readonly OperationName[]>(
    (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isOperationName) : isOperationName(value),
    `must be one of the calls, or a list of them: ${operationNames.join(', ')}`,
    {
      anyOf: [{ enum: operationNames }, { type: 'array', minItems: 1, items: { enum: operationNames } }],
      description: 'Only this call, such as airtime.purchase; default: any request.',
    },
    { value: 'CALL', many: true },
  ),
  recipient: text('Only this recipient.', { value: 'TEXT' }),
  clientId: text('Only this client.', { name: 'client', value: 'ID' }),
  // JSON has no Infinity.
  times: kind<number | 'always'>(
    (value) => isWholeNumber(value, 1) || value === Number.POSITIVE_INFINITY || value === 'always',
    "must be a whole number of at least 1, or Infinity ('always' in JSON)",
    {
      anyOf: [{ type: 'integer', minimum: 1 }, { const: 'always' }],
      description: "How many requests it meets; 'always' until it is removed; default 1.",
    },
    { value: 'COUNT' },
  ),
  when: wordOf(['before', 'after'], 'Before or after the request is processed; default before.', {
    name: 'after',
    help: 'Strike after the processing: for a purchase, after the debit (default: before)',
    read: () => 'after',
  }),
  delay: duration('Holds the request: 250ms, 3s, 5m, or ms as a number.', { value: 'TIME' }),
  status: whole(
    'must be an HTTP status from 200 to 599',
    200,
    599,
    { description: 'Responds with this HTTP status, 200 to 599.' },
    { value: 'NUMBER' },
  ),
  code: text('The code of the error envelope; default: the first documented for the status.', {
    value: 'CODE',
  }),
  message: kind<string>(
    (value) => typeof value === 'string',
    'must be a string',
    { type: 'string', description: 'The message of the error envelope.' },
    { value: 'TEXT' },
  ),
  body: kind<NonNullable<FaultOptions['body']>>(
    (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
    'must be a string, or an object or list to send as JSON',
    {
      type: ['string', 'object', 'array'],
      description: 'The body instead: text, or an object or list to send as JSON.',
    },
    { value: 'TEXT', read: objectOrText },
  ),
  headers: kind<Readonly<Record<string, string>>>(
    isHeaders,
    'must be an object of header names and values that HTTP allows: no line breaks, no control characters, no text beyond Latin-1',
    {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers to add or to replace.',
    },
    { name: 'header', value: 'NAME:VALUE', many: true, read: headersOf, problem: 'must be NAME:VALUE' },
  ),
  retryAfter: kind<number | string>(
    (value) => isHeaderValue(value) || (typeof value === 'number' && Number.isFinite(value)),
    'must be a number of seconds, or the text of the header without line breaks or control characters',
    { type: ['string', 'number'], description: 'A Retry-After header: seconds, a date, or nonsense.' },
    { value: 'VALUE' },
  ),
  connection: kind<'close'>(
    (value) => value === 'close',
    "must be 'close'",
    { const: 'close', description: 'The connection closes without a response.' },
    { name: 'close', read: () => 'close' },
  ),
  cutBody: kind<boolean | number>(
    (value) => typeof value === 'boolean' || isWholeNumber(value, 0),
    'must be true (cut halfway), or a whole number of bytes to let through',
    {
      type: ['boolean', 'integer'],
      description: 'Cuts the body: true halfway, a number after so many bytes.',
    },
    {
      value: 'BYTES',
      help: "Cuts the body off after so many bytes, or 'half'",
      read: (texts) => (texts.at(-1) === 'half' ? true : numberOrText(texts.at(-1) ?? '')),
    },
  ),
} satisfies OptionShape<FaultOptions>;

/** A fault must do something: the fields of which it needs one. */
export const faultEffects = [
  'delay',
  'status',
  'body',
  'headers',
  'retryAfter',
  'connection',
  'cutBody',
] as const;

/** The schema of each field, for what describes faults. */
export const faultFields: Readonly<Record<string, z.ZodMiniType>> = fields;

export const faultSchema = optionsOf(allOptional(fields)).check(
  z.refine((fault) => faultEffects.some((name) => fault[name] !== undefined), {
    error: `does nothing; give at least one of ${faultEffects.join(', ')}`,
  }),
);

/** Checks a fault. */
export function checkFault(fault: unknown): FaultOptions {
  const { times, ...rest } = parseOptions(faultSchema, fault ?? null, { owner: 'fault', path: 'fault' });
  return {
    ...withoutUndefined(rest),
    ...(times !== undefined && { times: times === 'always' ? Number.POSITIVE_INFINITY : times }),
  };
}

/** A body that is a JSON object or list is sent as such. */
function objectOrText(texts: readonly string[]): unknown {
  const given = texts.at(-1) ?? '';
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null ? value : given;
  } catch {
    return given;
  }
}

/** Lines such as `Retry-After: 2`; one without a name has a name that the check refuses. */
function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    }),
  );
}

const corruptions = ['bad-signature', 'old-timestamp', 'duplicate', 'reordered'] as const;

/** What `corruptDeliveries` takes. */
export const corruptionFields = {
  how: wordOf(corruptions),
  times: z._default(whole('must be a whole number of at least 1', 1), 1),
};

const corruptionSchema = optionsOf(corruptionFields);

/** What `redeliver` takes. */
export const redeliverySchema = optionsOf({
  corrupt: z.optional(wordOf(['bad-signature', 'old-timestamp'])),
});

/** Checks what `redeliver` was given. */
export const checkRedelivery = (options: unknown) =>
  parseOptions(redeliverySchema, options, { owner: 'redeliver' });

/** Checks what `corruptDeliveries` was given. */
export const checkCorruption = (how: unknown, times: unknown) =>
  parseOptions(corruptionSchema, { how, times }, { owner: 'corruptDeliveries' });

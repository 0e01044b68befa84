import * as z from 'zod/mini';
import { type OperationName, operations } from '../../contract/operations.js';
import { isRecord } from '../../utils/unknown.js';
import { assertOption, parseOptions } from '../../validation/options.js';
import type { FaultOptions } from '../records/objects.js';
import {
  allOptional,
  duration,
  expects,
  type FieldShape,
  fieldsOf,
  text,
  whole,
  withoutUndefined,
  wordOf,
} from '../schemas/fields.js';
import { isNestedTooDeeply } from '../service/request.js';

const operationNames = Object.keys(operations) as OperationName[];
const operationProblem = expects(`must be one of the calls, or a list of them: ${operationNames.join(', ')}`);
const operation = z.enum(operationNames, operationProblem);

const atLeastOnce = expects("must be a whole number of at least 1, or 'always'");
const bodyProblem = expects('must be a string, or an object or list to send as JSON');
const retryAfterProblem = expects(
  'must be a number of seconds, or the text of the header without line breaks or control characters',
);
const headersProblem = expects(
  'must be an object of header names and values that HTTP allows: no line breaks, no control characters, no text beyond Latin-1',
);
const cutProblem = expects('must be true (cut halfway), or a whole number of bytes to let through');

/** What node:http and `fetch` accept: a token as the name, and visible Latin-1 text, blanks and tabs as the value. */
const headerName = /^[!#$%&'*+.^`|~\w-]+$/;
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

const fields = allOptional({
  operation: z
    .union(
      [operation, z.array(operation, operationProblem).check(z.minLength(1, operationProblem))],
      operationProblem,
    )
    .check(z.describe('Only this call, such as airtime.purchase; default: any request.')),
  recipient: text('Only this recipient.'),
  clientId: text('Only this client.'),
  times: z
    .union(
      [z.int(atLeastOnce).check(z.minimum(1, atLeastOnce)), z.literal('always', atLeastOnce)],
      atLeastOnce,
    )
    .check(z.describe("How many requests it meets; 'always' until it is removed; default 1.")),
  when: wordOf(['before', 'after'], 'Before or after the request is processed; default before.'),
  delay: duration('Holds the request: 250ms, 3s, 5m, or ms as a number.'),
  status: whole(
    200,
    599,
    'must be an HTTP status from 200 to 599',
    'Responds with this HTTP status, 200 to 599.',
  ),
  code: text('The code of the error envelope; default: the first documented for the status.'),
  message: z.string(expects('must be a string')).check(z.describe('The message of the error envelope.')),
  body: z
    .union(
      [z.string(), z.record(z.string(), z.unknown(), bodyProblem), z.array(z.unknown(), bodyProblem)],
      bodyProblem,
    )
    .check(z.describe('The body instead: text, or an object or list to send as JSON.')),
  headers: z
    .record(
      z.string(headersProblem).check(z.regex(headerName, headersProblem)),
      z.string(headersProblem).check(z.regex(headerValue, headersProblem)),
      headersProblem,
    )
    .check(z.describe('Headers to add or to replace.')),
  retryAfter: z
    .union(
      [
        z.number(retryAfterProblem),
        z.string(retryAfterProblem).check(z.regex(headerValue, retryAfterProblem)),
      ],
      retryAfterProblem,
    )
    .check(z.describe('A Retry-After header: seconds, a date, or nonsense.')),
  connection: z
    .literal('close', expects("must be 'close'"))
    .check(z.describe('The connection closes without a response.')),
  cutBody: z
    .union([z.boolean(cutProblem), z.int(cutProblem).check(z.minimum(0, cutProblem))], cutProblem)
    .check(z.describe('Cuts the body: true halfway, a number after so many bytes.')),
}) satisfies FieldShape<FaultOptions>;

/** A fault must do something: the fields of which it needs one. */
const effects = ['delay', 'status', 'body', 'headers', 'retryAfter', 'connection', 'cutBody'] as const;

export const faultSchema = fieldsOf(fields).check(
  z.refine((fault) => effects.some((name) => fault[name] !== undefined), {
    error: `does nothing; give at least one of ${effects.join(', ')}`,
  }),
);

/** Checks a fault. */
export function checkFault(fault: unknown): FaultOptions {
  // Whatever lists faults writes them as JSON, which takes stack for each level.
  const isDeep = isRecord(fault) && isNestedTooDeeply(fault['body']);
  assertOption(!isDeep, 'fault.body', 'must not be nested more than 100 levels deep');
  return withoutUndefined(parseOptions(faultSchema, fault ?? null, { owner: 'fault', path: 'fault' }));
}

const corruptionSchema = fieldsOf({
  how: wordOf(['bad-signature', 'old-timestamp', 'duplicate'], 'What is wrong with them.'),
  times: z._default(
    whole(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of at least 1', 'How many; default 1.'),
    1,
  ),
});

const redeliverySchema = fieldsOf({
  corrupt: z.optional(wordOf(['bad-signature', 'old-timestamp'], 'What is wrong with it.')),
});

/** Checks what `redeliver` was given. */
export const checkRedelivery = (options: unknown) =>
  parseOptions(redeliverySchema, options, { owner: 'redeliver' });

/** Checks what `corruptDeliveries` was given. */
export const checkCorruption = (how: unknown, times: unknown) =>
  parseOptions(corruptionSchema, { how, times }, { owner: 'corruptDeliveries' });

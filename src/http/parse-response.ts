import type * as z from 'zod/mini';
import { patternRedactor, type Redactor } from '../redaction/redactor.js';
import { field } from '../utils/field.js';
import { isRecord } from '../utils/is-record.js';
import type { Interpretation, UnusableResponse } from './interpretation.js';
import type { BodyFailure, ReceivedResponse } from './outcome.js';
import { parseJson } from './read-body.js';

/** What parsing needs to know of an operation. */
export interface ResultRules {
  readonly responseSchema: z.ZodMiniType;
  readonly envelope: 'acceptance' | 'data' | 'flat';
  readonly requiredPaths: readonly string[];
}

/**
 * Reads a success as its operation documents it. What a caller cannot do without is enforced; numbers that come as
 * text, and references that come as numbers, are converted; any other deviation is only reported.
 */
export function parseResponse(
  rules: ResultRules,
  response: ReceivedResponse,
  redactor: Redactor = patternRedactor,
): Interpretation<Record<string, unknown>> {
  if (response.bodyFailure) return unusable(`its body ${bodyFailureText[response.bodyFailure.why]}`);
  if (response.json === undefined) return unusable(`its body is not JSON${kindOfBody(response, redactor)}`);
  const body = asObject(response.json);
  if (!body) return unusable('its body is not a JSON object');
  if (rules.envelope !== 'acceptance' && body['status'] === 'error') return unusable('its body is an error');
  const checked = rules.responseSchema.safeParse(body);
  if (checked.success) return usable(resultIn(rules, body), []);

  // Parsed again rather than cloned: a clone overflows the stack at depths that the parser accepts.
  const converted: Record<string, unknown> = { ...Object(parseJson(response.text)) };
  const deviations: string[] = [];
  for (const issue of checked.error.issues) {
    const path = issue.path.map(String);
    if (!coerceField(converted, path, issue) && isRequired(path, rules.requiredPaths)) {
      return unusable(`it has no usable ${path.join('.')}`);
    }
    deviations.push(path.join('.'));
  }
  return usable(resultIn(rules, converted), deviations);
}

const usable = (data: Record<string, unknown>, deviations: readonly string[]) =>
  ({ ok: true, data, deviations, tolerated: [] }) as const;

/** A repeat of the request may bring a better response. */
const unusable = (problem: string): UnusableResponse => ({ ok: false, problem, final: false });

const bodyFailureText: Record<BodyFailure['why'], string> = {
  incomplete: 'was cut off',
  'too-large': 'is larger than the 10 MiB that are read',
  'unsupported-encoding': 'is in an encoding that was not requested',
};

const maxTypeLength = 80;

const kindOfBody = ({ headers, text }: ReceivedResponse, redactor: Redactor): string => {
  // A header may contain anything, and this text is printed.
  const type = redactor.text(headers.get('content-type')?.split(';', 1)[0] ?? '');
  const shown = type.length > maxTypeLength ? `${type.slice(0, maxTypeLength)}…` : type;
  return text === '' ? ' (it is empty)' : shown && ` (${shown})`;
};

const asObject = (value: unknown): Record<string, unknown> | undefined =>
  isRecord(value) ? { ...value } : undefined;

/** A problem at a path, or above it, makes a required value unreachable. */
function isRequired(path: readonly string[], required: readonly string[]): boolean {
  return required.some((pattern) => {
    const steps = pattern.split('.');
    return path.length <= steps.length && path.every((step, at) => steps[at] === '*' || steps[at] === step);
  });
}

const numeric = /^-?\d+(\.\d+)?$/;

/** Converts `"1000.00"` where a number is documented, and `12345` where text is; false where it cannot. */
function coerceField(body: unknown, path: readonly string[], issue: z.core.$ZodIssue): boolean {
  const last = path.at(-1);
  if (last === undefined || issue.code !== 'invalid_type') return false;
  const parent: object = Object(path.slice(0, -1).reduce(field, body));
  const value = field(parent, last);
  if (issue.expected === 'number' && typeof value === 'string' && numeric.test(value.trim())) {
    return Reflect.set(parent, last, Number(value));
  }
  if (issue.expected === 'string' && Number.isSafeInteger(value)) {
    return Reflect.set(parent, last, String(value));
  }
  return false;
}

/** The caller's result inside the envelope, undocumented fields included. */
function resultIn({ envelope }: ResultRules, body: Record<string, unknown>): Record<string, unknown> {
  const { status, ...rest } = body;
  if (envelope === 'flat') return rest;
  const data: Record<string, unknown> = { ...Object(body['data']) };
  // An accepted purchase without a state is not final, which is what pending means.
  return envelope === 'acceptance' ? { ...data, status: status ?? 'pending' } : data;
}

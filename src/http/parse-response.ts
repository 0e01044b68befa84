import type * as z from 'zod/mini';
import { redactText } from '../errors/redact.js';
import { type BodyFailure, field, type ReceivedResponse } from './outcome.js';
import { parseJson } from './read-body.js';

/** What a reader needs to know of an operation. */
export interface ResultRules {
  readonly responseSchema: z.ZodMiniType;
  readonly envelope: 'acceptance' | 'data' | 'flat';
  readonly requiredPaths: readonly string[];
}

/** A 2xx as far as it can be used. */
export type Reading =
  | { readonly ok: true; readonly data: Record<string, unknown>; readonly deviations: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a success as its operation documents it. What a caller cannot do without is enforced; numbers that come as
 * text, and references that come as numbers, are mended; any other deviation is only told.
 */
export function parseResponse(rules: ResultRules, answer: ReceivedResponse): Reading {
  if (answer.bodyFailure) {
    return { ok: false, problem: `its body ${bodyFailureText[answer.bodyFailure.why]}` };
  }
  if (answer.json === undefined) return { ok: false, problem: `its body is not JSON${kindOfBody(answer)}` };
  const body = asObject(answer.json);
  if (!body) return { ok: false, problem: 'its body is not a JSON object' };
  if (rules.envelope !== 'acceptance' && body['status'] === 'error') {
    return { ok: false, problem: 'its body is an error' };
  }
  const checked = rules.responseSchema.safeParse(body);
  if (checked.success) return { ok: true, data: resultIn(rules, body), deviations: [] };

  // Parsed again rather than cloned: a clone overflows the stack on depths that the parser takes.
  const mended: Record<string, unknown> = { ...Object(parseJson(answer.text)) };
  const deviations: string[] = [];
  for (const issue of checked.error.issues) {
    const path = issue.path.map(String);
    if (!mend(mended, path, issue) && isEssential(path, rules.requiredPaths)) {
      return { ok: false, problem: `it has no usable ${path.join('.')}` };
    }
    deviations.push(path.join('.'));
  }
  return { ok: true, data: resultIn(rules, mended), deviations };
}

const bodyFailureText: Record<BodyFailure['why'], string> = {
  incomplete: 'was cut off',
  'too-large': 'is larger than the 10 MiB that are read',
  'unsupported-encoding': 'is in an encoding that was not requested',
};

const mostType = 80;

const kindOfBody = ({ headers, text }: ReceivedResponse): string => {
  // A header may hold anything, and this text is printed.
  const type = redactText(headers.get('content-type')?.split(';', 1)[0] ?? '');
  const shown = type.length > mostType ? `${type.slice(0, mostType)}…` : type;
  return text === '' ? ' (it is empty)' : shown && ` (${shown})`;
};

const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;

/** A problem at a path, or above it, makes an essential value unreachable. */
function isEssential(path: readonly string[], essential: readonly string[]): boolean {
  return essential.some((pattern) => {
    const steps = pattern.split('.');
    return path.length <= steps.length && path.every((step, at) => steps[at] === '*' || steps[at] === step);
  });
}

const numeric = /^-?\d+(\.\d+)?$/;

/** Puts `"1000.00"` right where a number belongs, and `12345` where text does; false where it cannot. */
function mend(body: unknown, path: readonly string[], issue: z.core.$ZodIssue): boolean {
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

/** The caller's result inside the envelope; fields that nobody documented come along. */
function resultIn({ envelope }: ResultRules, body: Record<string, unknown>): Record<string, unknown> {
  const { status, ...rest } = body;
  if (envelope === 'flat') return rest;
  const data: Record<string, unknown> = { ...Object(body['data']) };
  // An accepted purchase that does not tell its state is not final: that is what pending means.
  return envelope === 'acceptance' ? { ...data, status: status ?? 'pending' } : data;
}

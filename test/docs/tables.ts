import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import * as bulk from '../../src/bulk/index.js';
import { resolveOptions } from '../../src/client-options.js';
import { errorResponses, rowOfClass } from '../../src/errors/error-responses.js';
import { BillPayError } from '../../src/errors/index.js';
import { nextStep } from '../../src/errors/next-step.js';
import { createError } from '../../src/http/error.js';
import { prepareOperation } from '../../src/http/prepare.js';
import { type CallKind, mayHaveCharged, mayRepeat, retryWaitMs } from '../../src/http/rules.js';
import type { AttemptOutcome } from '../../src/http/transport.js';
import * as billpay from '../../src/index.js';
import * as orders from '../../src/orders/index.js';
import * as webhooks from '../../src/webhooks/index.js';
import { noResponse, refusal, responseOf } from '../http/sample-outcomes.js';
import { root } from './pages.js';

/** The tables of the guides that are made from the code: what the guides say is what the code decides. */

interface Case {
  /** What the page calls it. */
  readonly shown: string;
  readonly outcome: AttemptOutcome;
}

const page = '<html>Bad Gateway</html>';

const responses: readonly Case[] = [
  ...errorResponses.flatMap((row) =>
    'code' in row ? [{ shown: `${row.status} \`${row.code}\``, outcome: refusal(row.status, row.code) }] : [],
  ),
  { shown: '404, any code', outcome: refusal(404, 'NOT_FOUND') },
  { shown: '504, any other 5xx', outcome: responseOf(504, page) },
  { shown: 'any other status or code from 400 up', outcome: refusal(418, 'TEAPOT') },
  { shown: '401, 405 or 429 that is not the service’s own', outcome: responseOf(401, page) },
  {
    shown: 'below 400 and not usable: HTML, cut JSON, no `reference`, over 10 MiB',
    outcome: responseOf(202, page),
  },
  { shown: 'a redirect', outcome: { ...responseOf(307, ''), redirect: 'https://elsewhere.example/' } },
].sort(byStatus);

/** Documented statuses first, in their order; the sort is stable. */
function byStatus(a: Case, b: Case): number {
  const of = ({ shown }: Case) => (/^\d/.test(shown) ? Number.parseInt(shown, 10) : 1000);
  return of(a) - of(b);
}

const silence: readonly Case[] = [
  {
    shown: 'no connection was made: refused, no such host, a certificate',
    outcome: noResponse('connection', false),
  },
  { shown: 'the connection broke', outcome: noResponse('connection', true) },
  { shown: 'no response within `timeout` or `totalTimeout`', outcome: noResponse('timeout', true) },
  {
    shown: 'a time-out before the request was sent, known to `nodeTransport`',
    outcome: noResponse('timeout', false),
  },
  { shown: 'your `signal` aborted the call', outcome: noResponse('aborted', true) },
  { shown: 'your `signal` was aborted before anything was sent', outcome: noResponse('aborted', false) },
];

/** Errors that no attempt ended in. */
const withoutAttempt: readonly (readonly [shown: string, error: BillPayError])[] = [
  ['a parameter that the client refuses', new billpay.ValidationError('', { errors: {} })],
  ['an option of the client or the call that is wrong', new billpay.ConfigurationError('headers', '')],
  ['a public key where a secret one is needed', new billpay.PermissionError('', { code: 'GATEWAY_ERROR' })],
  [
    'a turn that would come too late, with `pacing`',
    new billpay.RateLimitError('', { code: 'RATE_LIMITED' }),
  ],
];

/** The error in which a purchase ends after one attempt. */
function errorOf(outcome: AttemptOutcome): BillPayError {
  return createError(call, config, {
    outcome,
    attempts: 1,
    chargePossible: mayHaveCharged('purchase', outcome),
  });
}

const config = resolveOptions(
  { apiKey: 'sk_test_1', clientId: 'client-1', baseUrl: 'https://pay.example/api/v1' },
  { env: {}, isBrowser: false },
);
const params = { biller: 'MTN', recipient: '08031234567', amount: 500, idempotency_key: 'order-7' };
const call = prepareOperation(config, 'airtime.purchase', params, undefined);

/** What `nextStep` says, in words. */
function stepOf(error: BillPayError): string {
  const step = nextStep(error);
  return 'afterMs' in step ? `\`${step.action}\` after ${step.afterMs / 1000} s` : `\`${step.action}\``;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** Every way in which a purchase can end in an error, and what the code decides about it. */
export function outcomeTable(): string {
  const rowOf = (shown: string, error: BillPayError, repeated: boolean) => [
    shown,
    `\`${error.name}\``,
    error.mayHaveCharged ? '**true**' : 'false',
    repeated ? 'yes' : 'no',
    stepOf(error),
  ];
  return table(
    ['a purchase ended in', 'class', '`mayHaveCharged`', 'the client repeats it', '`nextStep`'],
    [
      ...[...responses, ...silence].map(({ shown, outcome }) =>
        rowOf(shown, errorOf(outcome), mayRepeat('purchase', outcome)),
      ),
      ...withoutAttempt.map(([shown, error]) => rowOf(shown, error, false)),
    ],
  );
}

const kinds: readonly (readonly [CallKind, string])[] = [
  ['purchase', 'purchases; `request` with an `idempotency_key`'],
  ['read', 'catalogues, validate calls, `status`, `request` with GET'],
  ['subscribe', '`webhooks.subscribe`'],
  ['unknown', '`request` that writes, without a key'],
];

const retryRows: readonly Case[] = [
  { shown: '409 `ALREADY_PROCESSING`', outcome: refusal(409, 'ALREADY_PROCESSING') },
  { shown: '429', outcome: refusal(429, 'RATE_LIMITED') },
  { shown: '500, 502, 503, 504', outcome: refusal(500, 'GATEWAY_ERROR') },
  { shown: 'no response, or a time-out of the attempt', outcome: noResponse('timeout', true) },
  { shown: 'a success that is cut or unreadable', outcome: responseOf(202, page) },
  { shown: 'any other response', outcome: refusal(422, 'VALIDATION_FAILED') },
];

/** Which attempts are repeated, by the kind of call. */
export function retryTable(): string {
  return table(
    ['an attempt ended in', ...kinds.map(([, shown]) => shown)],
    retryRows.map(({ shown, outcome }) => [
      shown,
      ...kinds.map(([kind]) => (mayRepeat(kind, outcome) ? 'again' : 'stop')),
    ]),
  );
}

/** The waits before each retry. */
export function waitTable(): string {
  const seconds = (ms: number) => `${ms / 1000} s`;
  return table(
    ['retry', 'shortest wait', 'longest wait'],
    [1, 2, 3, 4].map((n) => [
      String(n),
      seconds(retryWaitMs(n, 0, undefined)),
      seconds(retryWaitMs(n, 1, undefined)),
    ]),
  );
}

/** The doc comment of each error class, on one line, and its codes. */
function errorClasses(): Map<string, { words: string; codes: string }> {
  const classes = new Map<string, { words: string; codes: string }>();
  const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' });
  for (const name of sources.filter((path) => /^errors\/|\/errors\.ts$/.test(path))) {
    const text = readFileSync(`${root}src/${name}`, 'utf8');
    ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true).forEachChild((node) => {
      if (!ts.isClassDeclaration(node) || !node.name) return;
      const [comment] = ts.getJSDocCommentsAndTags(node);
      const words = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined;
      if (words) classes.set(node.name.text, { words: words.replace(/\s+/g, ' '), codes: codesOf(node) });
    });
  }
  return classes;
}

/** The code of a class: from the table of error responses, or from its parent, `errorClass('TimeoutError', 'TIMEOUT')`. */
function codesOf(node: ts.ClassDeclaration): string {
  const row = rowOfClass(node.name?.text ?? '');
  const [parent] = node.heritageClauses ?? [];
  const code = row?.code ?? parent?.getText().match(/errorClass\(\s*'\w+',\s*'([A-Z_]+)'/)?.[1];
  return code === undefined ? '' : `\`${code}\``;
}

const isErrorClass = (value: unknown): boolean =>
  typeof value === 'function' && value.prototype instanceof BillPayError;

/** Every class that an entry point exports, with its doc comment. */
export function classTable(): string {
  const classes = errorClasses();
  const exported = Object.entries({ ...billpay, ...bulk, ...orders, ...webhooks }).filter(([, value]) =>
    isErrorClass(value),
  );
  const rows = exported.map(([name]) => {
    const known = classes.get(name);
    if (known === undefined) throw new Error(`there is no class ${name} with a doc comment`);
    return [`\`${name}\``, known.codes, known.words];
  });
  return table(
    ['class', '`code`', 'means'],
    rows.sort(([a = ''], [b = '']) => a.localeCompare(b)),
  );
}

/** Every kind of finding of a reconciliation. */
export function findingTable(): string {
  return table(
    ['`kind`', 'what it says', 'what to do'],
    Object.entries(orders.reconcileFindings).map(([kind, { message, whatToDo }]) => [
      `\`${kind}\``,
      message,
      whatToDo,
    ]),
  );
}

/** The generated sections of the guides: page, name of the section, content. */
export const sections: readonly (readonly [page: string, name: string, content: () => string])[] = [
  ['docs/errors.md', 'outcomes', outcomeTable],
  ['docs/errors.md', 'classes', classTable],
  ['docs/reconcile.md', 'findings', findingTable],
  ['docs/errors.md', 'retries', retryTable],
  ['docs/errors.md', 'waits', waitTable],
];

const begin = (name: string) => `<!-- generated by npm run generate: ${name} -->`;
const end = '<!-- end of the generated part -->';

/** The page with the content of a section replaced. Throws where the page has no such section. */
export function withSection(text: string, name: string, content: string): string {
  const from = text.indexOf(begin(name));
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no generated section ${name}`);
  return `${text.slice(0, from)}${begin(name)}\n\n${content}\n\n${text.slice(to)}`;
}

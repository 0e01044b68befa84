import { readFileSync } from 'node:fs';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  instrument,
  instrumentOrders,
  instrumentWebhooks,
  observeOrders,
} from '../../src/opentelemetry/index.js';
import { orderStates } from '../../src/orders/index.js';
import { parseQuery } from './promql.js';
import { recordedTelemetry } from './telemetry.js';

const example = (name: string) =>
  readFileSync(new URL(`../../examples/observability/${name}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

const rules: Rule[] = parse(example('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const dashboard: Dashboard = JSON.parse(example('dashboard.json'));

/** The names that Prometheus knows, with the labels of each. */
type Series = ReadonlyMap<string, ReadonlySet<string>>;

/** Records something in every metric of the package, with every attribute that it may have. */
async function everyMetric(): Promise<string> {
  const telemetry = recordedTelemetry();
  const { aroundCall, onAttempt } = instrument({ meter: telemetry.meter });
  const call = { operation: 'airtime.purchase', baseUrl: 'https://service.test/api/v1' };
  const error = Object.assign(new Error('x'), { name: 'ConnectionError' });
  const record = { ...call, attempts: 1, durationMs: 5, outcome: 'unknown', error } as never;
  await aroundCall(call, async () => record);
  onAttempt({
    operation: call.operation,
    attempt: 1,
    method: 'POST',
    path: '/airtime/purchase',
    status: 503,
    code: 'QUEUE_UNAVAILABLE',
    error: 'QueueUnavailableError',
    waitedMs: 1,
    durationMs: 5,
    willRetry: true,
  });
  instrumentWebhooks({ meter: telemetry.meter }).onDelivery({
    status: 401,
    durationMs: 5,
    event: 'transaction.completed',
    reason: 'signature_mismatch',
  });
  instrumentOrders({ meter: telemetry.meter }).onTransition({ product: 'airtime' }, 'placed', 'buying');
  observeOrders(
    {
      stats: async () => ({
        count: Object.fromEntries(orderStates.map((state) => [state, 1])),
        oldest: { unknown: new Date(0) },
        awaitingRefund: 1,
        spent: 1,
      }),
    },
    { meter: telemetry.meter },
  );
  const text = new PrometheusSerializer().serialize(await telemetry.collectResource());
  await telemetry.close();
  return text;
}

/** Reads the exposition format of Prometheus. */
function readSeries(text: string): Series {
  const series = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(String(label));
    series.set(name, known);
  }
  return series;
}

/** What OTLP makes of the same names: durations get their unit. */
const withUnits = (series: Series): Series =>
  new Map(
    [...series].map(([name, labels]) => [
      name.replace(/(_duration|_wait|_age)(_bucket|_sum|_count)?$/, '$1_seconds$2'),
      labels,
    ]),
  );

let exported: Series;
beforeAll(async () => {
  exported = readSeries(await everyMetric());
});

/** What an expression reads that no metric has. */
function missing(expression: string, series: Series): string[] {
  const { selectors, grouping } = parseQuery(expression);
  const read = selectors.map((selector) => ({
    ...selector,
    known: [...series].filter(([name]) => selector.name.test(name)).flatMap(([, labels]) => [...labels]),
    found: [...series.keys()].some((name) => selector.name.test(name)),
  }));
  return [
    ...read.filter(({ found }) => !found).map(({ text }) => text),
    ...read.flatMap(({ labels, known, text }) =>
      labels.filter((label) => !known.includes(label)).map((label) => `${label} of ${text}`),
    ),
    ...grouping.filter((label) => !read.some(({ known }) => known.includes(label))),
  ];
}

/** An expression with Grafana's variables filled in. */
const filledIn = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*');

const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, filledIn(expr)] as const),
);

describe('docs/operate.md', () => {
  const page = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');

  it('lists every metric', () => {
    const section = page.slice(page.indexOf('## Metrics'), page.indexOf('## Alerts'));
    const listed = [...section.matchAll(/^\| `(billpay\.[\w.]+)` \|/gm)].map(([, name]) => name);
    expect(listed.map((name) => name?.replaceAll('.', '_')).sort()).toEqual(
      [...new Set([...exported.keys()].map((name) => name.replace(/_(total|bucket|sum|count)$/, '')))]
        .filter((name) => name !== 'target_info')
        .sort(),
    );
  });

  it('lists every alert with its severity', () => {
    const listed = [...page.matchAll(/^\| `(BillPay\w+)` \| (\w+) \|/gm)].map(([, name, severity]) => [
      name,
      severity,
    ]);
    expect(listed).toEqual(rules.map(({ alert, labels }) => [alert, labels.severity]));
  });
});

describe('the alert rules', () => {
  it.each(rules.map(({ alert, expr }) => [alert, expr]))(
    '%s reads metrics and labels that exist',
    (_, expr) => {
      expect(missing(expr, exported)).toEqual([]);
      expect(missing(expr, withUnits(exported))).toEqual([]);
    },
  );

  it('name only states of orders that exist', () => {
    for (const { expr } of rules) {
      for (const [, states = ''] of expr.matchAll(/billpay_order_state=~?"([^"]*)"/g)) {
        for (const state of states.split('|')) expect(orderStates).toContain(state);
      }
    }
  });
});

describe('the dashboard', () => {
  it.each(queries)('%s reads metrics and labels that exist: %s', (_, expr) => {
    expect(missing(expr, exported)).toEqual([]);
    expect(missing(expr, withUnits(exported))).toEqual([]);
  });

  it('shows every metric', () => {
    const read = queries.flatMap(([, expr]) => parseQuery(expr).selectors);
    const unseen = [...exported.keys()].filter(
      (name) =>
        name !== 'target_info' &&
        !/_(sum|count)$/.test(name) &&
        !read.some((selector) => selector.name.test(name)),
    );
    expect(unseen).toEqual([]);
  });

  it('has legends and variables that exist', () => {
    const { panels, templating } = dashboard;
    const variables = templating.list.map(({ name }) => name);
    for (const [name] of JSON.stringify(panels).matchAll(/\$\{?\w+/g)) {
      expect([...variables, '__rate_interval']).toContain(name.replace(/^\$\{?/, ''));
    }
    for (const { definition } of templating.list) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? [];
      if (definition !== undefined) expect(exported.get(String(metric))).toContain(label);
    }
    for (const { targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(parseQuery(filledIn(expr)).grouping).toContain(label);
        }
      }
    }
  });
});

it('a name or a label that no metric has, and what is not PromQL, is found', () => {
  expect(missing('sum(billpay_client_call_total)', exported)).toEqual(['billpay_client_call_total']);
  expect(missing('sum by (operation) (billpay_client_calls_total)', exported)).toEqual(['operation']);
  expect(missing('billpay_orders{state="unknown"}', exported)).toHaveLength(1);
  expect(() => parseQuery('sum(billpay_orders')).toThrow('not PromQL');
});

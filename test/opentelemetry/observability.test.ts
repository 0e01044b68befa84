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
import { typeErrors } from '../docs/type-check.js';
import { parseQuery } from './promql.js';
import { recordedTelemetry } from './telemetry.js';

const example = (name: string) =>
  readFileSync(new URL(`../../examples/observability/${name}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const rules: Rule[] = parse(example('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly schemaVersion: number;
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
        keptEvents: 1,
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

describe('the metrics in Prometheus', () => {
  it('have the names that the alert rules and the dashboard use', () => {
    expect([...exported.keys()].filter((name) => !/_(bucket|sum|count)$/.test(name))).toEqual([
      'target_info',
      'billpay_client_calls_total',
      'billpay_client_unknown_outcomes_total',
      'billpay_client_attempts_total',
      'billpay_client_retries_total',
      'billpay_webhook_deliveries_total',
      'billpay_order_transitions_total',
      'billpay_orders',
      'billpay_orders_oldest_age',
      'billpay_orders_awaiting_refund',
      'billpay_orders_spent_today',
      'billpay_orders_kept_events',
    ]);
  });
});

describe('docs/observability.md', () => {
  const page = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');

  it('lists every metric', () => {
    const section = page.slice(page.indexOf('### Metrics'), page.indexOf('## Alerts'));
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

  it('are complete', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, ...rest } of rules) {
      expect(alert).toMatch(/^BillPay[A-Z]\w+$/);
      expect(['page', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description.length).toBeGreaterThan(20);
      expect(rest.for ?? '1m').toMatch(/^\d+[mh]$/);
    }
  });

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

  it('has panels that Grafana can place, and legends and variables that exist', () => {
    const { panels, templating } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
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

describe('the types of Grafana', () => {
  /** Type errors of a dashboard in Grafana's own types; its variables, which Grafana declares in part only, are checked above. */
  const errorsOf = (page: string, { templating: _, ...rest }: Dashboard): string[] => {
    const literal = JSON.stringify(rest, undefined, 2).replaceAll(
      '"mode": "absolute"',
      '"mode": grafana.ThresholdsMode.Absolute',
    );
    const code = `import * as grafana from '@grafana/schema';\nexport const dashboard: grafana.Dashboard = ${literal};\n`;
    return typeErrors([{ page, line: 1, code }], true);
  };

  it('fit the dashboard', () => {
    expect(errorsOf('dashboard', dashboard)).toEqual([]);
  });

  it('refuse a field that Grafana does not know', () => {
    const panels = dashboard.panels.map((panel) => ({ ...panel, gridPosition: panel.gridPos }));
    expect(errorsOf('wrong dashboard', { ...dashboard, panels }).join('\n')).toContain('gridPosition');
  });
});

describe('the check itself', () => {
  it.each([
    ['sum(billpay_client_call_total)', ['billpay_client_call_total']],
    ['sum by (operation) (billpay_client_calls_total)', ['operation']],
    ['billpay_orders{state="unknown"}', ['state of billpay_orders{state="unknown"}']],
  ])('finds what is missing in %s', (expr, names) => {
    expect(missing(expr, exported)).toEqual(names);
  });

  it('finds what is not PromQL', () => {
    expect(() => parseQuery('sum(billpay_orders')).toThrow('not PromQL');
    expect(() => parseQuery('rate(billpay_orders[5x])')).toThrow('not PromQL');
  });
});

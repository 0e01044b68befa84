import { metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BillPay, type BillPayOptions, type CallRecord } from '../../src/index.js';
import { type InstrumentOptions, instrument } from '../../src/opentelemetry/index.js';
import { createSandbox, type Sandbox, type SandboxConnection } from '../../src/sandbox/index.js';
import { airtime } from '../support/envelopes.js';
import { recordedTelemetry, useContextManager } from './telemetry.js';

useContextManager();

let telemetry: ReturnType<typeof recordedTelemetry>;
let sandbox: Sandbox;
let connection: SandboxConnection;
let http: UndiciInstrumentation;

beforeEach(async () => {
  telemetry = recordedTelemetry();
  sandbox = createSandbox({ settleAfter: 'manual', rateLimits: false });
  ({ connection } = await sandbox.listen());
  http = new UndiciInstrumentation();
  http.setTracerProvider(telemetry.tracerProvider);
});

afterEach(async () => {
  http.disable();
  await sandbox.close();
  await telemetry.close();
});

const order = { ...airtime, idempotency_key: 'order-1' };

/** A client of the sandbox on its port, traced and measured. */
function tracedClient(options: BillPayOptions = {}, own: InstrumentOptions = {}): BillPay {
  const { tracer, meter } = telemetry;
  const quiet = { logLevel: 'off', retryDelay: () => 0 } as const;
  return new BillPay({
    ...connection,
    ...quiet,
    ...instrument({ tracer, meter, ...own }),
    ...options,
  });
}

const failure = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('the call should fail'),
    (error: unknown) => error,
  );

const named = (name: string): ReadableSpan[] => telemetry.spans().filter((span) => span.name === name);
const attemptsOf = (span: ReadableSpan | undefined) => span?.events.map(({ attributes }) => attributes);
const server = () => ({
  'server.address': '127.0.0.1',
  'server.port': Number(new URL(connection.baseUrl).port),
});

describe('the span of a call', () => {
  it('is named by its operation and says how the call ended', async () => {
    await tracedClient().airtime.purchase(order);
    const [span] = named('airtime.purchase');
    expect(span).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(span?.attributes).toStrictEqual({
      'billpay.operation': 'airtime.purchase',
      'billpay.outcome': 'success',
      ...server(),
    });
    expect(attemptsOf(span)).toStrictEqual([
      {
        'billpay.operation': 'airtime.purchase',
        'http.request.resend_count': 0,
        'http.response.status_code': 202,
        'billpay.attempt.duration': expect.any(Number),
      },
    ]);
  });

  it('is the active parent of the HTTP span of every attempt, and a child of what was active', async () => {
    sandbox.faults.add({ status: 503, code: 'PROVIDER_UNAVAILABLE' });
    sandbox.faults.add({ status: 429, retryAfter: 0 });
    await telemetry.tracer.startActiveSpan('checkout', async (checkout) => {
      await tracedClient().airtime.purchase(order);
      checkout.end();
    });
    const [checkout] = named('checkout');
    const [call] = named('airtime.purchase');
    expect(call?.parentSpanContext?.spanId).toBe(checkout?.spanContext().spanId);
    const requests = named('POST');
    expect(requests.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([
      503, 429, 202,
    ]);
    for (const { parentSpanContext } of requests) {
      expect(parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
    }
    expect(call?.attributes).toMatchObject({ 'billpay.outcome': 'success', 'http.request.resend_count': 2 });
    expect(attemptsOf(call)).toMatchObject([
      {
        'http.request.resend_count': 0,
        'http.response.status_code': 503,
        'billpay.error.code': 'PROVIDER_UNAVAILABLE',
        'error.type': 'ProviderUnavailableError',
        'billpay.retry.delay': 0,
      },
      {
        'http.request.resend_count': 1,
        'billpay.error.code': 'RATE_LIMITED',
        'error.type': 'RateLimitError',
      },
      { 'http.request.resend_count': 2, 'http.response.status_code': 202 },
    ]);
  });

  it('of a purchase without a response is an error with an unknown outcome', async () => {
    sandbox.faults.add({ connection: 'close', when: 'after' });
    await failure(tracedClient({ maxRetries: 0 }).airtime.purchase(order));
    const [span] = named('airtime.purchase');
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR, message: 'ConnectionError' } });
    expect(span?.attributes).toMatchObject({ 'billpay.outcome': 'unknown', 'error.type': 'ConnectionError' });
  });

  it('has the attributes that the caller adds, which cannot replace its own', async () => {
    const attributes = ({ idempotencyKey }: { idempotencyKey?: string }) => ({
      'shop.order': idempotencyKey ?? 'none',
      'billpay.operation': 'mine',
    });
    await tracedClient({}, { attributes }).airtime.purchase(order);
    const throwing = () => {
      throw new TypeError('callback');
    };
    await tracedClient({}, { attributes: throwing }).airtime.purchase(order);
    const rejecting = () => Promise.reject(new Error('no attributes'));
    await tracedClient({}, { attributes: rejecting as never }).airtime.purchase(order);
    expect(named('airtime.purchase').map(({ attributes }) => attributes)).toMatchObject([
      { 'shop.order': 'order-1', 'billpay.operation': 'airtime.purchase' },
      { 'billpay.operation': 'airtime.purchase', 'billpay.outcome': 'success' },
      { 'billpay.operation': 'airtime.purchase', 'billpay.outcome': 'success' },
    ]);
  });
});

describe('the metrics of a client', () => {
  it('count calls, attempts, retries by reason and unknown outcomes, and measure durations in seconds', async () => {
    const billpay = tracedClient({ maxRetries: 1 });
    sandbox.faults.add({ status: 503, code: 'QUEUE_UNAVAILABLE' });
    await billpay.airtime.purchase(order);
    sandbox.faults.add({ status: 402 });
    await failure(billpay.airtime.purchase({ ...order, idempotency_key: 'order-2' }));
    sandbox.faults.add({ connection: 'close', when: 'after', times: 2 });
    await failure(billpay.airtime.purchase({ ...order, idempotency_key: 'order-3' }));

    const operation = { 'billpay.operation': 'airtime.purchase' };
    const call = { ...operation, ...server() };
    const success = { ...call, 'billpay.outcome': 'success' };
    const refused = { ...call, 'billpay.outcome': 'failure', 'error.type': 'InsufficientBalanceError' };
    const unknown = { ...call, 'billpay.outcome': 'unknown', 'error.type': 'ConnectionError' };
    const ends = [
      [success, 1],
      [refused, 1],
      [unknown, 1],
    ];
    expect(await telemetry.points('billpay.client.calls')).toEqual(ends);
    expect(await telemetry.points('billpay.client.call.duration')).toEqual(ends);
    expect(await telemetry.points('billpay.client.unknown_outcomes')).toEqual([[unknown, 1]]);
    expect(await telemetry.points('billpay.client.attempts')).toEqual([
      [
        {
          ...operation,
          'http.response.status_code': 503,
          'billpay.error.code': 'QUEUE_UNAVAILABLE',
          'error.type': 'QueueUnavailableError',
        },
        1,
      ],
      [{ ...operation, 'http.response.status_code': 202 }, 1],
      [
        {
          ...operation,
          'http.response.status_code': 402,
          'billpay.error.code': 'INSUFFICIENT_BALANCE',
          'error.type': 'InsufficientBalanceError',
        },
        1,
      ],
      [{ ...operation, 'error.type': 'ConnectionError' }, 2],
    ]);
    expect(await telemetry.points('billpay.client.retries')).toEqual([
      [{ ...operation, 'billpay.retry.reason': 'QUEUE_UNAVAILABLE' }, 1],
      [{ ...operation, 'billpay.retry.reason': 'ConnectionError' }, 1],
    ]);
    const duration = (await telemetry.collect()).find(
      ({ descriptor }) => descriptor.name === 'billpay.client.call.duration',
    );
    expect(duration?.descriptor.unit).toBe('s');
    const [point] = duration?.dataPoints ?? [];
    expect(point?.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([0.01, 120]) } });
  });
});

describe('instrument', () => {
  it('leaves onCall free, and takes along the onAttempt and aroundCall that it would replace', async () => {
    const seen: unknown[] = [];
    const onCall = ({ outcome }: CallRecord) => seen.push(['onCall', outcome]);
    const billpay = tracedClient(
      { onCall },
      {
        onAttempt: ({ status }) => void seen.push(['onAttempt', status]),
        aroundCall: ({ operation }, next) =>
          telemetry.tracer.startActiveSpan('mine', async (span) => {
            const { outcome } = await next();
            seen.push(['aroundCall', operation, outcome]);
            span.end();
          }),
      },
    );
    await billpay.airtime.purchase(order);
    expect(seen).toEqual([
      ['onAttempt', 202],
      ['onCall', 'success'],
      ['aroundCall', 'airtime.purchase', 'success'],
    ]);
    const [call] = named('airtime.purchase');
    const [mine] = named('mine');
    const [request] = named('POST');
    expect(mine?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
    expect(request?.parentSpanContext?.spanId).toBe(mine?.spanContext().spanId);
    expect(attemptsOf(call)).toHaveLength(1);
  });

  it('records a call whose own aroundCall never calls next or throws', async () => {
    const throwing = () => {
      throw new TypeError('callback');
    };
    for (const aroundCall of [() => {}, throwing]) {
      await tracedClient({}, { aroundCall }).airtime.purchase(order);
      expect(attemptsOf(named('airtime.purchase').at(-1))).toHaveLength(1);
    }
    expect(await telemetry.points('billpay.client.calls')).toMatchObject([[{}, 2]]);
  });

  it('affects no call where the SDK fails', async () => {
    const failing = () => {
      throw new TypeError('exporter');
    };
    const early: InstrumentOptions = {
      tracer: Object({ startSpan: failing }),
      meter: Object({ createCounter: failing }),
    };
    expect(await tracedClient({}, early).airtime.purchase(order)).toMatchObject({ status: 'pending' });
    const broken = { setAttributes: failing, addEvent: failing, end: failing };
    const span = Object.assign(telemetry.tracer.startSpan('x'), broken);
    const late: InstrumentOptions = { tracer: Object({ startSpan: () => span }) };
    expect(await tracedClient({}, late).airtime.purchase(order)).toMatchObject({ status: 'pending' });
    sandbox.faults.add({ status: 402 });
    const error = await failure(
      tracedClient({}, late).airtime.purchase({ ...order, idempotency_key: 'order-2' }),
    );
    expect(error).toMatchObject({ name: 'InsufficientBalanceError', mayHaveCharged: false });
  });

  it('uses the globally registered providers, also where they are registered after the client was created', async () => {
    const billpay = tracedClient({}, { tracer: undefined, meter: undefined });
    trace.setGlobalTracerProvider(telemetry.tracerProvider);
    metrics.setGlobalMeterProvider(telemetry.meterProvider);
    try {
      await billpay.airtime.purchase(order);
    } finally {
      trace.disable();
      metrics.disable();
    }
    expect(named('airtime.purchase')[0]?.instrumentationScope.name).toBe('billpay');
    expect(await telemetry.points('billpay.client.calls')).toHaveLength(1);
  });

  it('works without any SDK', async () => {
    const billpay = tracedClient({}, { tracer: undefined, meter: undefined });
    expect(await billpay.airtime.purchase(order)).toMatchObject({ status: 'pending' });
  });

  it('names an option that is wrong', () => {
    expect(() => instrument(Object({ traces: true }))).toThrow(/traces/);
    expect(() => instrument({ attributes: Object('x') })).toThrow(/attributes/);
  });
});

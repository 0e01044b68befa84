import { type Attributes, context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider, type MetricData, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll } from 'vitest';
import { field } from '../../src/utils/unknown.js';

/** A reader that collects when it is asked to. */
class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The OpenTelemetry SDK with everything that it exports kept in memory. */
export function recordedTelemetry() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new OnDemandReader();
  const meterProvider = new MeterProvider({ readers: [reader] });
  const collectResource = async () => (await reader.collect()).resourceMetrics;
  const collect = async (): Promise<MetricData[]> =>
    (await collectResource()).scopeMetrics.flatMap(({ metrics }) => metrics);
  return {
    tracerProvider,
    meterProvider,
    tracer: tracerProvider.getTracer('test'),
    meter: meterProvider.getMeter('test'),
    /** The spans that have ended, in the order of their ends. */
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    collect,
    collectResource,
    /** The points of a metric as `[attributes, value]`; the value of a histogram is its count. */
    points: async (name: string): Promise<[Attributes, number][]> => {
      const metric = (await collect()).find(({ descriptor }) => descriptor.name === name);
      const points: readonly { readonly attributes: Attributes; readonly value: unknown }[] =
        metric?.dataPoints ?? [];
      return points.map(({ attributes, value }) => [
        attributes,
        typeof value === 'number' ? value : Number(field(value, 'count')),
      ]);
    },
    close: async () => {
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
    },
  };
}

/** Registers the context manager of the SDK for the tests of a file; call once at its top. */
export function useContextManager(): void {
  const manager = new AsyncLocalStorageContextManager();
  beforeAll(() => {
    context.setGlobalContextManager(manager.enable());
  });
  afterAll(() => {
    context.disable();
    manager.disable();
  });
}

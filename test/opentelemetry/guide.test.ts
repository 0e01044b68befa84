import * as api from '@opentelemetry/api';
import * as contextAsyncHooks from '@opentelemetry/context-async-hooks';
import * as instrumentationUndici from '@opentelemetry/instrumentation-undici';
import * as sdkTraceBase from '@opentelemetry/sdk-trace-base';
import { expect, it, vi } from 'vitest';
import * as billpay from '../../src/index.js';
import * as opentelemetry from '../../src/opentelemetry/index.js';
import * as sandbox from '../../src/sandbox/index.js';
import { codeBlocks, readPage } from '../docs/pages.js';
import { execute } from '../docs/run-block.js';

/** What the console exporter prints of a span, as far as it matters here. */
interface PrintedSpan {
  readonly name: string;
  readonly id: string;
  readonly parentSpanContext?: { readonly spanId: string };
}

it('the guide shows the span of a call with the span of its HTTP request below it', async () => {
  const [block] = codeBlocks(readPage('docs/observability.md')).filter(
    ({ heading, language }) => heading === 'See a trace' && language === 'ts',
  );
  const dir = vi.spyOn(console, 'dir').mockReturnValue();
  await execute(
    String(block?.code),
    {
      '@opentelemetry/api': api,
      '@opentelemetry/context-async-hooks': contextAsyncHooks,
      '@opentelemetry/instrumentation-undici': instrumentationUndici,
      '@opentelemetry/sdk-trace-base': sdkTraceBase,
      billpay,
      'billpay/opentelemetry': opentelemetry,
      'billpay/sandbox': sandbox,
    },
    {},
  );
  const spans: PrintedSpan[] = dir.mock.calls.map(([span]) => span);
  expect(spans.map(({ name }) => name)).toEqual(['POST', 'airtime.purchase']);
  const [request, call] = spans;
  expect(request?.parentSpanContext?.spanId).toBe(call?.id);
});

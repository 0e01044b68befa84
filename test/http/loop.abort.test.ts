import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ended, quiet, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  clientWith,
  deaf,
  endless,
  page,
  refusal,
  refused,
  type Step,
  script,
  silent,
} from '../support/script.js';

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const down = refusal(500, 'GATEWAY_ERROR');
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('an abort before anything was sent', () => {
  it('sends nothing, and has charged nothing', async () => {
    const { fetch, sent } = script();
    const onAttempt = vi.fn();
    const reason = new Error('the customer left');
    const call = clientWith(fetch, { onAttempt }).airtime.purchase(
      { ...airtime, idempotency_key: 'order-1' },
      { signal: AbortSignal.abort(reason) },
    );
    expect(await rejected(call)).toMatchObject({
      name: 'AbortError',
      code: 'ABORTED',
      operation: 'airtime.purchase',
      attempts: 0,
      idempotencyKey: 'order-1',
      mayHaveCharged: false,
      cause: reason,
      message: 'airtime.purchase was aborted by its signal. This call charged nothing.',
    });
    expect(sent).toHaveLength(0);
    expect(onAttempt).not.toHaveBeenCalled();
  });
});

describe('an abort during an attempt', () => {
  it.each<[string, Step]>([
    ['under way', silent],
    ['with a fetch that does not heed its signal', deaf],
    ['in the middle of a body', endless(202)],
    ['in the middle of the body of an error', endless(500)],
  ])('%s ends it at once, unknown and not failed', async (_, step) => {
    const { fetch, sent } = script(step, accepted());
    const controller = new AbortController();
    const onAttempt = vi.fn();
    const call = clientWith(fetch, { onAttempt }).airtime.purchase(airtime, { signal: controller.signal });
    await quiet();
    expect(sent).toHaveLength(1);
    const at = performance.now();
    controller.abort();
    expect(await rejected(call)).toMatchObject({
      name: 'AbortError',
      attempts: 1,
      mayHaveCharged: true,
      message: expect.stringContaining(
        'The wallet may have been debited: the purchase is unknown, not failed.',
      ),
    });
    expect(performance.now()).toBe(at);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(listeners(controller.signal)).toBe(0);
    expect(onAttempt).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ attempt: 1, error: 'AbortError', willRetry: false }),
    );
  });
});

describe('an abort during a wait', () => {
  it('sends nothing more, even when it comes in the moment that ends the wait', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { fetch, sent } = script(down, accepted());
    const controller = new AbortController();
    const call = clientWith(fetch).airtime.purchase(airtime, { signal: controller.signal });
    call.catch(() => {});
    await quiet();
    setTimeout(() => controller.abort(), 250);
    vi.advanceTimersByTime(250);
    expect(await rejected(call)).toMatchObject({ name: 'AbortError', attempts: 1, mayHaveCharged: true });
    expect(sent).toHaveLength(1);
  });

  it('may come from onAttempt', async () => {
    const { fetch, sent } = script(down);
    const controller = new AbortController();
    const billpay = clientWith(fetch, { onAttempt: () => controller.abort() });
    const call = billpay.airtime.purchase(airtime, { signal: controller.signal });
    expect(await rejected(call)).toMatchObject({ name: 'AbortError', attempts: 1, mayHaveCharged: true });
    expect(sent).toHaveLength(1);
  });
});

it('comes too late for a response that has been received', async () => {
  const { fetch } = script(accepted());
  const controller = new AbortController();
  const call = clientWith(fetch).airtime.purchase(airtime, { signal: controller.signal });
  expect(await resolved(call)).toMatchObject({ reference: 'TXN-1' });
  controller.abort();
});

it('leaves no listeners on a signal that 1,000 calls share', async () => {
  const steps: readonly Step[] = [accepted(), page(400), refused, down, endless(500), silent];
  const { signal } = new AbortController();
  let most = 0;
  for (let n = 0; n < 1000; n++) {
    const step = steps[n % steps.length] ?? silent;
    const { fetch } = script(step, step);
    await ended(clientWith(fetch, { maxRetries: n % 2 }).airtime.purchase(airtime, { signal }));
    most = Math.max(most, listeners(signal));
  }
  expect(most).toBe(0);
});

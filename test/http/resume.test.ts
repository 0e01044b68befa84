import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BillPay, type BillPayOptions, createPacer, nextStep } from '../../src/index.js';
import { ended, rejected, resolved, useFakeClock } from '../support/clock.js';
import {
  accepted,
  airtime,
  clientWith,
  json,
  page,
  refusal,
  refused,
  type Step,
  script,
} from '../support/script.js';

useFakeClock();

const order = { ...airtime, idempotency_key: 'order-1' };
const resume = { resume: true, maxRetries: 0 };

const refusals: Readonly<Record<string, Step>> = {
  '400': refusal(400, 'BAD_REQUEST'),
  '401': refusal(401, 'UNAUTHORIZED'),
  '402': refusal(402, 'INSUFFICIENT_BALANCE'),
  '403': refusal(403, 'GATEWAY_ERROR'),
  '403 page': page(403),
  '404 page': page(404),
  '405': refusal(405, 'METHOD_NOT_ALLOWED'),
  '413 page': page(413),
  '422': refusal(422, 'VALIDATION_FAILED'),
  '429': refusal(429, 'RATE_LIMITED'),
  '503': refusal(503, 'QUEUE_UNAVAILABLE'),
  refused,
};

describe('with resume, only a success clears the doubt of the earlier call', () => {
  it('for any sequence of attempts, and without resume the table holds', async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(refusals)), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(names, fc.boolean(), async (sequence, resumes) => {
        const { fetch } = script(...sequence.map((name) => refusals[name] ?? refused), accepted());
        const billpay = clientWith(fetch, { maxRetries: 9, retryDelay: () => 0 });
        const ending = await ended(billpay.airtime.purchase(order, { resume: resumes }));
        if (!('error' in ending)) return;
        const sent = Number(Reflect.get(Object(ending.error), 'attempts'));
        const doubtful = sequence.slice(0, sent).some((name) => /page|refused/.test(name));
        expect(ending.error).toMatchObject({ mayHaveCharged: resumes || doubtful });
        expect(nextStep(ending.error).action === 'resume').toBe(resumes || doubtful);
      }),
      { numRuns: 100 },
    );
  });

  it('for request() under a key', async () => {
    const { fetch } = script(json(200, {}), page(404));
    const billpay = clientWith(fetch);
    const buy = () =>
      billpay.request(
        { method: 'POST', path: '/water/purchase', body: { idempotency_key: 'order-1' } },
        resume,
      );
    await resolved(buy());
    expect(await rejected(buy())).toMatchObject({ idempotencyKey: 'order-1', mayHaveCharged: true });
  });
});

describe('with resume, a call that was not sent leaves the doubt as it was', () => {
  const unsent = async (make: (b: BillPay) => Promise<unknown>, options: BillPayOptions = {}) => {
    const { fetch, sent } = script();
    const error = await rejected(make(clientWith(fetch, options)));
    expect(sent).toHaveLength(0);
    return error;
  };
  const open = { idempotencyKey: 'order-1', attempts: 0, mayHaveCharged: true };

  const body = { idempotency_key: 'order-1' };
  const post = (path: string) => (b: BillPay) => b.request({ method: 'POST', path, body }, resume);
  const buy =
    (more: object, options: object = {}) =>
    (b: BillPay) =>
      b.airtime.purchase({ ...order, ...more }, { ...resume, ...options });

  it.each<[string, string, (b: BillPay) => Promise<unknown>, BillPayOptions?]>([
    ['its parameters', 'ValidationError', buy({ amount: -1 })],
    ['the kind of its key', 'PermissionError', buy({}), { apiKey: 'pk_test_1' }],
    ['another option', 'ConfigurationError', buy({}, { timeout: -1 })],
    ['a signal that had been aborted', 'AbortError', buy({}, { signal: AbortSignal.abort() })],
    ['the parts of a request()', 'ValidationError', post('water')],
    ['the kind of the key of a request()', 'PermissionError', post('/water'), { apiKey: 'pk_test_1' }],
  ])('because of %s', async (_, name, make, options) => {
    expect(await unsent(make, options)).toMatchObject({ name, ...open });
  });

  it('because it would be granted too late', async () => {
    const pacing = createPacer();
    pacing.pause(60_000);
    const error = await unsent((b) => b.airtime.purchase(order, { ...resume, totalTimeout: 500 }), {
      pacing,
    });
    expect(error).toMatchObject({ name: 'RateLimitError', ...open });
    expect(error).toMatchObject({ message: expect.stringContaining('the earlier call may have') });
  });

  it('and without resume it certainly charged nothing, and the error still carries the key', async () => {
    const error = await unsent((b) => b.airtime.purchase({ ...order, amount: -1 }));
    expect(error).toMatchObject({ ...open, mayHaveCharged: false });
  });
});

describe('resume is refused', () => {
  const needsKey = 'needs the idempotency_key of the earlier call';
  const post = { method: 'POST', path: '/x', body: {} } as const;

  it.each<[string, (b: BillPay) => Promise<unknown>, string, boolean]>([
    ['without the key', (b) => b.airtime.purchase(airtime, { resume: true }), needsKey, true],
    ['by request() without a key', (b) => b.request(post, { resume: true }), needsKey, true],
    ['as text', (b) => b.airtime.purchase(order, { resume: Object('yes') }), 'must be true or false', false],
    [
      'by calls that buy nothing',
      (b) => b.data.products({ biller: 'MTN' }, Object({ resume: true })),
      'is not an option of',
      false,
    ],
  ])('%s', async (_, make, message, mayHaveCharged) => {
    const { fetch, sent } = script();
    expect(await rejected(make(clientWith(fetch)))).toMatchObject({
      name: 'ConfigurationError',
      option: 'resume',
      message: expect.stringContaining(message),
      mayHaveCharged,
    });
    expect(sent).toHaveLength(0);
  });
});

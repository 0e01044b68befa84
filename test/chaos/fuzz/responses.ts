import type { BillPay } from '../../../src/index.js';
import { Random } from '../../support/random.js';
import { callProblem, fuzzedClient } from './calls.js';
import { anyBody, anyHeaders, anyStatus } from './values.js';

/** Any response that a `fetch` can resolve to, and some that no real one would. */
function anyResponse(random: Random): Response {
  const headers = new Headers();
  for (const [name, value] of anyHeaders(random)) {
    try {
      headers.append(name, value);
    } catch {
      // No header: the cases that go over a socket carry such bytes.
    }
  }
  const status = anyStatus(random);
  const bodiless = [204, 205, 304].includes(status);
  const body = bodiless ? null : anyContent(random);
  if (random.chance(0.03)) return strange(random, headers);
  return new Response(body, { status, headers });
}

function anyContent(random: Random): BodyInit {
  const text = anyBody(random);
  if (random.chance(0.8)) return text;
  const bytes = random.chance(0.5) ? random.bytes(random.int(0, 200)) : Buffer.from(text);
  if (random.chance(0.5)) return new Uint8Array(bytes);
  const cut = random.int(0, bytes.length);
  const breaks = random.chance(0.7);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes.subarray(0, cut)));
      if (breaks)
        return controller.error(random.pick<unknown>([new TypeError('terminated'), undefined, 'text', null]));
      controller.enqueue(new Uint8Array(bytes.subarray(cut)));
      controller.close();
    },
  });
}

/** What a caller's own fetch may resolve to in place of a Response. */
function strange(random: Random, headers: Headers): Response {
  const given: unknown = random.pick<unknown>([
    undefined,
    null,
    'text',
    42,
    {},
    Response.error(),
    { status: Number.NaN, headers, body: null },
    { status: 0, headers, body: null, statusText: '\u0000' },
    { status: 1000, headers, body: null },
    { status: 202, headers: null },
  ]);
  return given as Response;
}

/** Any failure that a `fetch` can reject with. */
const anyFailure = (random: Random): unknown =>
  random.pick<unknown>([
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
    Object.assign(new Error('y'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    new DOMException('aborted', 'AbortError'),
    undefined,
    null,
    'text',
    Object.create(null),
    new AggregateError([]),
  ]);

/** Runs case `name` of the responses that need no socket; returns what is wrong with how the call ended, or nothing. */
export async function responseCase(name: string): Promise<string | undefined> {
  const random = new Random(name);
  const fetch = async (): Promise<Response> => {
    if (random.chance(0.04)) throw anyFailure(random);
    return anyResponse(random);
  };
  const client: BillPay = fuzzedClient({
    baseUrl: 'https://service.test/api/v1',
    fetch,
    strictResponses: random.chance(0.2),
  });
  return callProblem(client, random, '08031234567');
}

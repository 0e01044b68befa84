import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchWire } from '../../src/http/wire-evidence.js';
import { clientAt } from '../support/script.js';
import { order } from '../support/socket-faults.js';
import { freePort, leavingNothing } from '../support/sockets.js';
import { rejectionOf } from '../support/wire.js';

afterEach(() => vi.unstubAllGlobals());

const thrownBy = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);

describe('a failure of fetch proves that nothing was sent', () => {
  it.each([
    ['a refused connection', async () => `http://127.0.0.1:${await freePort()}/api/v1`],
    ['an unknown host', async () => 'https://no-such-host.invalid/api/v1'],
  ])('after %s', (_, address) =>
    leavingNothing(async () => {
      const error = await rejectionOf(clientAt(await address()).airtime.purchase(order));
      expect(error).toMatchObject({ name: 'ConnectionError', mayHaveCharged: false, attempts: 1 });
    }),
  );

  it('also where fetch was replaced by one that sends once', () =>
    leavingNothing(async () => {
      const native = globalThis.fetch;
      vi.stubGlobal('fetch', (...given: Parameters<typeof native>) => native(...given));
      const dead = `http://127.0.0.1:${await freePort()}/api/v1`;
      expect(await rejectionOf(clientAt(dead).airtime.purchase(order))).toMatchObject({
        mayHaveCharged: false,
      });
    }));
});

describe('a watch proves nothing', () => {
  it('by an error that only looks like a refused connection', async () => {
    const watch = watchWire('http://127.0.0.1:1/api/v1/airtime/purchase');
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
    expect(watch.provesUnsent(new TypeError('fetch failed', { cause: refused }))).toBe(false);
    watch.end();
  });

  it('once a head was written to the same origin, or for the same path elsewhere', () =>
    leavingNothing(async (net) => {
      const server = await net.http((_, response) => response.writeHead(200).end('{}'));
      const dead = `http://127.0.0.1:${await freePort()}`;
      const refusal = async (origin: string, then: () => Promise<unknown>) => {
        const watch = watchWire(`${origin}/api/v1/airtime/purchase`);
        const thrown = await thrownBy(fetch(`${dead}/other`));
        const before = watch.provesUnsent(thrown);
        await then();
        const after = watch.provesUnsent(thrown);
        watch.end();
        return [before, after];
      };
      const { origin } = new URL(server.baseUrl);
      const read = async (path: string) => (await fetch(`${origin}${path}`)).text();
      const overHttp = () =>
        new Promise((resolve) => {
          const sent = http.request(`${origin}/x`, { method: 'POST', agent: false }, (response) =>
            response.resume().on('end', resolve),
          );
          sent.end('{}');
        });
      expect(await refusal(origin, () => read('/x'))).toEqual([true, false]);
      expect(await refusal(origin, overHttp)).toEqual([true, false]);
      expect(await refusal('http://other.example', () => read('/api/v1/airtime/purchase'))).toEqual([
        true,
        false,
      ]);
      expect(await refusal('http://other.example', () => read('/x'))).toEqual([true, true]);
    }));
});

/** What has sent the purchase once before it fails on a refused connection, set before the package is loaded. */
const replacements = {
  'a fetch that repeats': `const native = globalThis.fetch;
    const textOf = async (init) => init?.body instanceof ReadableStream ? new Response(init.body).text() : init?.body;
    globalThis.fetch = async (url, init) => {
      const body = await textOf(init);
      const send = () => native(url, { ...init, body });
      return send().catch(() => new Promise((done) => setTimeout(done, 50)).then(send));
    };`,
  'a fetch over node:http that repeats': `
    const { default: http } = await import('node:http');
    globalThis.fetch = async (url, { method, headers, body }) => {
      const text = await new Response(body).text();
      const send = () => new Promise((resolve, reject) => {
        const sent = http.request(url, { method, headers: Object.fromEntries(new Headers(headers)), agent: false });
        sent.on('response', () => resolve(new Response('{}'))).on('error', reject).end(text);
      });
      return send().catch(() => new Promise((done) => setTimeout(done, 50)).then(send));
    };`,
  'a dispatcher that repeats': `
    await fetch('data:,x');
    const keys = [1, 2].map((n) => Symbol.for('undici.globalDispatcher.' + n)).filter((key) => globalThis[key]);
    for (const key of keys) {
      const Agent = globalThis[key].constructor;
      globalThis[key] = new (class extends Agent {
        dispatch(options, handler) {
          const chunks = [];
          const again = (body) => setTimeout(() => super.dispatch({ ...options, body }, handler), 50);
          const proxy = new Proxy(handler, { get: (from, name) =>
            /^on(Response)?Error$/.test(String(name)) ? () => again(Buffer.concat(chunks)) : Reflect.get(from, name)?.bind?.(from) ?? Reflect.get(from, name) });
          const body = (async function* () { for await (const part of options.body) { chunks.push(Buffer.from(part)); yield part; } })();
          return super.dispatch({ ...options, body }, proxy);
        }
      })();
    }`,
};

describe('what has replaced fetch before the package was loaded sends twice, and leaves the purchase in doubt', () => {
  it.each(Object.entries(replacements))('%s', (_, before) => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const script = `${before}
      const { createServer } = await import('node:http');
      const { BillPay } = await import('./src/index.ts');
      let delivered = 0;
      const server = createServer(async (request) => {
        for await (const _ of request);
        delivered++;
        server.close();
        request.socket.destroy();
      });
      await new Promise((done) => server.listen(0, '127.0.0.1', done));
      const baseUrl = 'http://127.0.0.1:' + server.address().port + '/api/v1';
      const billpay = new BillPay({ apiKey: 'sk_test_1', clientId: 'client-1', baseUrl, maxRetries: 0 });
      const end = await billpay.airtime.purchase(${JSON.stringify(order)}).catch((error) => error);
      console.log(JSON.stringify([delivered, end.name, end.mayHaveCharged]));`;
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(run.stdout.trim(), run.stderr).toBe('[1,"ConnectionError",true]');
  });
});

it('a 401 is a refusal, sent once, whatever fetch makes of bodies that it cannot read again', () =>
  leavingNothing(async (net) => {
    const refusal = JSON.stringify({ status: 'error', code: 'UNAUTHORIZED', message: 'no' });
    const server = await net.http((_, response) => response.writeHead(401).end(refusal));
    const error = await rejectionOf(clientAt(server.baseUrl, { maxRetries: 4 }).airtime.purchase(order));
    expect(error).toMatchObject({ name: 'AuthenticationError', mayHaveCharged: false, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  }));

it('https:// on a port of plain http says so, and charged nothing', () =>
  leavingNothing(async (net) => {
    const server = await net.http((_, response) => response.writeHead(200).end());
    const address = server.baseUrl.replace('http:', 'https:');
    expect(await rejectionOf(clientAt(address).airtime.purchase(order))).toMatchObject({
      mayHaveCharged: false,
      message: expect.stringContaining('does not speak TLS: check the port, or use http://'),
    });
  }));

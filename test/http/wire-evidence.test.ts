import { channel } from 'node:diagnostics_channel';
import http from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientAt } from '../support/script.js';
import { order } from '../support/socket-faults.js';
import { freePort, leavingNothing } from '../support/sockets.js';
import { rejectionOf } from '../support/wire.js';

afterEach(() => vi.unstubAllGlobals());

/** The module as a process loads it: what it looks up and listens to once, it does again. */
const loaded = () => {
  vi.resetModules();
  return import('../../src/http/wire-evidence.js');
};

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

const watched = 'https://service.test/api/v1/airtime/purchase';
const tell = (name: string, message: unknown) => channel(name).publish(message);
const failedToConnect = (error: unknown) => tell('undici:client:connectError', { error });

describe('a watch proves nothing', () => {
  it('by an error that only looks like the one that the runtime told of', async () => {
    const { watchWire } = await loaded();
    const watch = watchWire(watched);
    const refused = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const [told, other] = [refused(), refused()];
    failedToConnect(told);
    failedToConnect(refused());
    const proves = (cause: unknown) => watch.provesUnsent(new TypeError('fetch failed', { cause }));
    expect([proves(told), watch.provesUnsent(told)]).toEqual([true, true]);
    expect([proves(other), watch.provesUnsent(other)]).toEqual([false, false]);
    watch.end();
  });

  it.each([
    ['no process', undefined],
    ['a process that hands out no modules', {}],
    ['a process without this module', { getBuiltinModule: () => undefined }],
  ])('where the runtime has %s', async (_, process) => {
    const { watchWire } = await loaded();
    vi.stubGlobal('process', process);
    const watch = watchWire(watched);
    vi.unstubAllGlobals();
    const error = new Error('refused');
    failedToConnect(error);
    expect(watch.provesUnsent(error)).toBe(false);
    watch.end();
  });

  const requestTo = (host: string, path: string) => ({
    origin: `https://${host}`,
    getHeader: (name: string) => (name === 'host' ? host : undefined),
    path,
  });
  it.each(['undici:client:sendHeaders', 'http.client.request.created', 'http.client.request.start'])(
    'once %s told of a head to its host, or for its path elsewhere',
    async (name) => {
      const { watchWire } = await loaded();
      const error = new Error('refused');
      const afterHead = (request: object, end = false) => {
        const watch = watchWire(watched);
        failedToConnect(error);
        if (end) watch.end();
        tell(name, { request });
        watch.end();
        return watch.provesUnsent(error);
      };
      expect(afterHead(requestTo('service.test', '/x'))).toBe(false);
      expect(afterHead(requestTo('proxy.test', watched))).toBe(false);
      expect(afterHead(requestTo('other.test', '/x'))).toBe(true);
      expect(afterHead({ path: '/x' })).toBe(true);
      expect(afterHead(requestTo('service.test', '/x'), true)).toBe(true);
    },
  );

  it('once a head was written to the same origin, or for the same path elsewhere', () =>
    leavingNothing(async (net) => {
      const { watchWire } = await loaded();
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

describe('the fetch of Node, which sends some requests again, is told apart from that of', () => {
  it.each<[string, object, boolean]>([
    ['Bun', { Bun: {} }, false],
    ['Deno', { Deno: {} }, false],
    ['workerd', { navigator: { userAgent: 'Cloudflare-Workers' } }, false],
    ['a runtime without undici', { process: Object.create(process, { versions: { value: {} } }) }, false],
    ['no other runtime', { navigator: { userAgent: 'Node.js/24' } }, true],
  ])('%s', async (_, globals, expected) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect((await loaded()).isNodeFetch).toBe(expected);
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

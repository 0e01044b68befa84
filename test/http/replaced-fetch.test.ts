import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { order } from '../support/socket-faults.js';

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

import { Agent, request as httpRequest, type RequestListener } from 'node:http';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError } from '../../src/errors/base.js';
import { toNodeHandler } from '../../src/webhooks/index.js';
import { serve } from '../support/serve.js';
import { bodyOf, delivery, receiver } from './deliveries.js';

const nodeReceiver = (options: { maxBodyBytes?: number } = {}) => {
  const made = receiver(options);
  return { ...made, node: toNodeHandler(made.handler) };
};

const listen = async (listener: RequestListener) => `${await serve(listener)}/webhooks`;

async function send(url: string, request: Request = delivery()) {
  const { method, headers } = request;
  const body = await request.text();
  const response = await fetch(url, { method, headers, ...(body && { body }) });
  return [response.status, await response.text()];
}

const forged = () => delivery({ headers: { 'X-Service-Signature': 'a'.repeat(64) } });

async function expectReceives(url: string, handled: readonly string[]): Promise<void> {
  expect(await send(url)).toEqual([200, 'ok']);
  expect(await send(url)).toEqual([200, 'ok']);
  expect(await send(url, forged())).toEqual([401, 'unauthorized']);
  expect(handled).toEqual(['TXN-1']);
}

async function expectAsksForRawBody(
  url: string,
  { handled, logger }: ReturnType<typeof nodeReceiver>,
): Promise<void> {
  expect(await send(url)).toEqual([500, 'error']);
  expect(handled).toEqual([]);
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]).toMatch(/raw body.*express\.raw.*Fastify.*Next.*Nest.*body_already_parsed/);
}

describe('node:http', () => {
  it.each(['with a Content-Length', 'in chunks'])('responds with 413 to a large body %s', async (how) => {
    const { node, handled } = nodeReceiver({ maxBodyBytes: 1000 });
    const url = await listen(node);
    const body = bodyOf('x'.repeat(100_000));
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(
        url,
        { method: 'POST', headers: { 'X-Service-Signature': 'x' } },
        (response) =>
          response.resume().on('end', () => resolve([response.statusCode, response.headers.connection])),
      );
      request.on('error', reject);
      if (how === 'in chunks') request.write(body);
      else request.end(body);
    });
    expect(status).toEqual([413, 'close']);
    expect(handled).toEqual([]);
    await expectReceives(url, handled);
  });

  it('keeps the connection open after every other response', async () => {
    const { node } = nodeReceiver();
    const url = await listen(node);
    const connectionOf = (request: Request) =>
      new Promise((resolve, reject) => {
        const sending = httpRequest(
          url,
          {
            method: 'POST',
            headers: Object.fromEntries(request.headers),
            agent: new Agent({ keepAlive: true }),
          },
          (response) =>
            response.resume().on('end', () => resolve([response.statusCode, response.headers.connection])),
        );
        sending.on('error', reject);
        request.text().then((text) => sending.end(text), reject);
      });
    expect(await connectionOf(delivery())).toEqual([200, 'keep-alive']);
    expect(await connectionOf(forged())).toEqual([401, 'keep-alive']);
  });

  it.each(['body', 'rawBody'])(
    'uses a raw %s, as text or bytes, and does not read the stream',
    async (name) => {
      const request = delivery();
      const text = await request.text();
      for (const raw of [text, Buffer.from(text)]) {
        const { node, handled } = nodeReceiver();
        const response = { statusCode: 0, headersSent: false, setHeader() {}, end() {} };
        await node(
          {
            method: 'POST',
            headers: Object.fromEntries(request.headers),
            [name]: raw,
            [Symbol.asyncIterator]() {
              throw new Error('it is empty by now');
            },
          },
          response,
        );
        expect(response.statusCode).toBe(200);
        expect(handled).toEqual(['TXN-1']);
      }
    },
  );

  it('does not write a second response', async () => {
    const { node, handled } = nodeReceiver();
    const url = await listen(async (request, response) => {
      response.writeHead(202).end('mine');
      await node(request, response);
    });
    expect(await send(url)).toEqual([202, 'mine']);
    expect(handled).toEqual(['TXN-1']);
  });

  it('refuses anything that createWebhookHandler did not return', () => {
    for (const wrong of [undefined, {}, () => new Response()]) {
      expect(() => toNodeHandler(wrong as never)).toThrow(ConfigurationError);
      expect(() => toNodeHandler(wrong as never)).toThrow(
        'handler: must be what createWebhookHandler returned',
      );
    }
  });
});

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_, express) => {
  const rawBody = (request: object, _response: unknown, buffer: Buffer) =>
    void Object.assign(request, { rawBody: buffer });

  it.each([
    ['without a body parser before it', undefined],
    ['after one that leaves bytes', express.raw({ type: 'application/json' })],
    ['after one that leaves text', express.text({ type: '*/*' })],
    ['after express.json() that keeps the raw body', express.json({ verify: rawBody })],
    ['after a parser of other content types', express.json({ type: 'application/vnd.other' })],
    ['after a parser of forms', express.urlencoded({ extended: false })],
  ])('receives %s', async (_name, parser) => {
    const { node, handled } = nodeReceiver();
    const app = express();
    if (parser) app.use(parser);
    app.post('/webhooks', node);
    app.use(express.json());
    await expectReceives(await listen(app), handled);
  });

  it('asks for the raw body after express.json()', async () => {
    const made = nodeReceiver();
    const app = express().use(express.json());
    app.post('/webhooks', made.node);
    await expectAsksForRawBody(await listen(app), made);
  });
});

describe('Fastify', () => {
  async function start(app: ReturnType<typeof fastify>): Promise<string> {
    onTestFinished(() => app.close());
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`;
  }

  it('receives through reply.hijack, with a parser that leaves the stream alone', async () => {
    const { node, handled } = nodeReceiver();
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', (_request, _payload, done) => done(null));
    app.post('/webhooks', async (request, reply) => {
      reply.hijack();
      await node(request.raw, reply.raw);
    });
    await expectReceives(await start(app), handled);
  });

  it('receives through a content-type parser', async () => {
    const { handler, handled } = nodeReceiver();
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    app.post('/webhooks', async ({ method, headers, body }, reply) => {
      const answer = await handler.receive({ method, headers, body });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
    await expectReceives(await start(app), handled);
  });

  it('asks for the raw body behind its own JSON parser', async () => {
    const made = nodeReceiver();
    const app = fastify();
    app.post('/webhooks', async (request, reply) => {
      reply.hijack();
      await made.node(request.raw, reply.raw);
    });
    await expectAsksForRawBody(await start(app), made);
  });
});

describe('why a delivery does not verify', () => {
  it('is in the log alone, also where the caller is on this machine', async () => {
    const { node, logger } = nodeReceiver();
    const url = await listen(node);
    const { headers } = forged();
    const response = await fetch(url, { method: 'POST', headers, body: await forged().text() });
    expect([response.status, await response.text()]).toEqual([401, 'unauthorized']);
    expect(JSON.stringify([...response.headers])).not.toMatch(/reason|mismatch/i);
    expect(logger.lines).toEqual([expect.stringMatching(/^warn .*"reason":"signature_mismatch"/)]);
  });
});

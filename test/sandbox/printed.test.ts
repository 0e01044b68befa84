import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../src/sandbox/command/run.js';
import { FakeProcess } from '../support/fake-process.js';
import { serve } from '../support/serve.js';

/** What docs/sandbox.md says that the command prints is what it prints. */

const guide = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

/** The samples of the guide, in order. */
const [banner, activity, listening] = [...guide.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
);

/** A text without what differs between two runs. */
const comparable = (text: string | undefined): string =>
  (text ?? '')
    .replaceAll(/sandbox \d+\.\d+\.\d+:/g, 'sandbox VERSION:')
    .replaceAll(/^\d\d:\d\d:\d\dZ/gm, 'TIME')
    .replaceAll(/TXN-\w{16}/g, 'TXN')
    .replaceAll(/\d+ ms/g, 'MS')
    .replaceAll(/((?:sk|whsec)_)\S+/g, '$1SECRET')
    .replaceAll(/ {2}\(port 4010 is in use\)| --url \S+/g, '')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT');

function start(args: readonly string[]) {
  const around = new FakeProcess();
  const ended = runCommand(args, around);
  onTestFinished(async () => {
    around.emit('SIGINT');
    await ended;
  });
  return around;
}

async function receiver(respond: (event: string) => [status: number, body: string]) {
  const origin = await serve((request, response) => {
    const [status, body] = respond(String(request.headers['x-service-event']));
    request.resume().on('end', () => response.writeHead(status).end(body));
  });
  return `http://localhost:${new URL(origin).port}/webhooks`;
}

test('the banner, the lines of requests, and those of listen are as in the guide', async () => {
  const sandbox = start(['--settle-after', '50ms']);
  const address = await sandbox.until((written) => /Address +(\S+)/.exec(written)?.[1]);
  const shown = sandbox.written;
  expect(comparable(shown)).toBe(`${comparable(banner)}\n`);
  const shownLines = shown.trimEnd().split('\n');
  expect(shownLines.length).toBeLessThanOrEqual(14);
  expect(shownLines.filter((line) => line.length > 80)).toEqual([]);

  const key = /BILLPAY_API_KEY=(\S+)/.exec(shown)?.[1];
  const buy = (fields: object) =>
    fetch(`${address}/airtime/purchase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'client_default', biller: 'MTN', ...fields }),
    });
  await buy({ recipient: '08031234567', amount: 500, idempotency_key: 'a' });
  await sandbox.until((written) => written.includes('success TXN') || undefined);
  await buy({ idempotency_key: 'b' });
  const lines = await sandbox.until((written) =>
    written.includes('fields:') ? written.slice(shown.length) : undefined,
  );
  expect(comparable(lines)).toBe(comparable(activity));

  const url = await receiver((event) =>
    event === 'transaction.completed' ? [200, 'ok'] : [500, 'the database is down'],
  );
  const listen = start(['listen', '--forward-to', url, '--url', String(address)]);
  await listen.until((written) => written.includes('whsec_') || undefined);
  for (const recipient of ['08031234567', '08000000001']) {
    const before = listen.written.length;
    await buy({ recipient, amount: 500, idempotency_key: recipient });
    await listen.until((written) => written.length > before || undefined);
  }
  expect(comparable(listen.written)).toBe(comparable(listening));
});

test('a trigger that is repeated under its key says why its exit code is 1', async () => {
  const sandbox = start(['--port', '0', '--quiet', '--settle-after', 'manual']);
  const address = await sandbox.until((written) => /Address +(\S+)/.exec(written)?.[1]);
  const trigger = async (...args: readonly string[]) => {
    const around = new FakeProcess();
    const code = await runCommand(['trigger', ...args, '--url', String(address)], around);
    return { code, written: around.written.replaceAll(/\s+/g, ' ') };
  };
  expect(await trigger('success', '--key', 'order-7')).toMatchObject({ code: 0 });
  expect(await trigger('success', '--key', 'order-7')).toMatchObject({ code: 0 });
  const repeated = 'a key that was used before returns its first transaction, so give another --key';
  expect(await trigger('failed', '--key', 'order-7')).toEqual({
    code: 1,
    written: expect.stringContaining(
      `failed expects a transaction that settles as failed, and it is success: ${repeated}`,
    ),
  });
  expect(await trigger('response-lost', '--key', 'order-7')).toEqual({
    code: 1,
    written: expect.stringContaining(`response-lost expects no response, and got a 202: ${repeated}`),
  });
});

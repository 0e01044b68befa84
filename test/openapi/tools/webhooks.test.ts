import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { documentFile, toolsFolder } from './tool.js';

const require = createRequire(toolsFolder);
const { Ajv2020 } = require('ajv/dist/2020.js');
const addFormats = require('ajv-formats');

/** What ajv objects to in the body of a webhook, by the document; null for nothing. */
function objections(name: string, body: object): unknown {
  const { components, webhooks } = JSON.parse(readFileSync(documentFile, 'utf8'));
  const { schema } = webhooks[name].post.requestBody.content['application/json'];
  const validate = addFormats(new Ajv2020({ strict: false })).compile({ ...schema, components });
  validate(body);
  return validate.errors;
}

it('ajv objects to nothing in both webhooks of the sandbox, and would object to another body', async () => {
  const sandbox = createSandbox({ settleAfter: 'manual' });
  sandbox.webhooks.subscribe({ handler: () => new Response('ok') });
  const { baseUrl, credentials } = sandbox;
  for (const [recipient, end] of [
    ['0124000952992', 'success'],
    ['0124000952993', 'failed'],
  ] as const) {
    const meter = { biller: 'IKEDC', recipient, meter_type: 'prepaid', amount: 900 };
    await sandbox.fetch(`${baseUrl}/electricity/purchase`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${credentials.secretKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: credentials.clientId, ...meter, idempotency_key: recipient }),
    });
    await sandbox.settle(sandbox.transactions.at(-1)?.reference ?? '', end);
  }
  expect(sandbox.deliveries.map(({ event }) => event)).toEqual([
    'transaction.completed',
    'transaction.failed',
  ]);
  for (const { event, body } of sandbox.deliveries) {
    expect(objections(event, JSON.parse(body))).toBeNull();
    expect(objections(event, { ...JSON.parse(body), data: {} })).not.toBeNull();
  }
  await sandbox.close();
});

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { configSchema, readConfig } from '../../src/sandbox/config.js';
import { applyConfig, createSandbox, readConfigFile } from '../../src/sandbox/index.js';
import { faultSchema } from '../../src/sandbox/lab/fault-options.js';
import { sandboxFields } from '../../src/sandbox/options.js';
import { statePath } from './state/support.js';
import { airtime, call } from './support.js';

const whole = {
  $schema: './sandbox-config.schema.json',
  clients: [
    { clientId: 'shop', balance: 500, secretKey: 'sk_shop', publicKey: 'pk_shop', allowedIps: ['127.0.0.1'] },
    { clientId: 'other', verified: false, suspended: true },
  ],
  catalogue: { data: { MTN: [{ product_code: 'ONE', name: 'One', amount: 5 }] } },
  balance: 10,
  fixtures: false,
  settleAfter: 'manual',
  rateLimits: { purchases: 3, ip: false },
  clock: 'manual',
  seed: 'config',
  references: 'unique',
  webhookTimeout: '2s',
  allowWebhookHosts: ['app'],
  faults: [{ operation: 'airtime.purchase', status: 503, times: 'always' }],
  webhooks: [{ url: 'http://app:3000/hook', secret: 'whsec_0123456789abcdef' }],
  listen: { port: 0, host: '127.0.0.1', controlToken: '0123456789abcdef' },
};

const jsonSchema = JSON.parse(JSON.stringify(configSchema()));
const schema = fromJSONSchema(jsonSchema);

test('a file with everything in it makes the sandbox that it describes', async () => {
  const path = statePath();
  writeFileSync(path, JSON.stringify(whole));
  const config = readConfigFile(path);
  const sandbox = createSandbox(config.options);
  onTestFinished(() => sandbox.close());
  applyConfig(sandbox, config);
  expect(sandbox.credentials).toEqual({ clientId: 'shop', secretKey: 'sk_shop', publicKey: 'pk_shop' });
  expect(sandbox.wallet().balance).toBe(500);
  expect(sandbox.client().subscription?.url).toBe('http://app:3000/hook');
  expect((await call(sandbox, 'POST', '/airtime/purchase', airtime('a'))).status).toBe(503);
  expect(sandbox.faults.active[0]?.remaining).toBe('always');
  expect((await sandbox.listen(config.listen)).controlToken).toBe('0123456789abcdef');
  expect(schema.safeParse(whole).error?.message).toBeUndefined();
});

test('what the configuration calls active from the start is active again after a reset', async () => {
  const config = readConfig({
    seed: 's',
    faults: [{ status: 503 }],
    webhooks: [{ url: 'https://shop.example/hook' }],
  });
  const sandbox = createSandbox(config.options);
  applyConfig(sandbox, config);
  const { secret } = sandbox.webhooks.subscribe({ url: 'https://shop.example/hook' });
  sandbox.webhooks.subscribe({ url: 'https://other.example/hook' });
  sandbox.faults.add({ status: 500 });
  const seen: string[] = [];
  sandbox.onActivity((activity) => seen.push(activity.type));
  sandbox.reset();
  expect(sandbox.faults.active.map(({ options }) => options.status)).toEqual([503]);
  expect(sandbox.client().subscription?.url).toBe('https://shop.example/hook');
  expect(sandbox.webhooks.subscribe({ url: 'https://shop.example/hook' }).secret).toBe(secret);
  // What a listener changes is reported after what it was told.
  expect(seen.slice(-4)).toEqual(['reset', 'fault', 'subscription', 'subscription']);
  await sandbox.close();
});

describe('what is wrong is named', () => {
  test.each([
    [{ balanse: 5 }, /balanse/],
    [{ faults: {} }, /faults: must be a list of faults/],
    [{ faults: [{ status: 9 }] }, /faults\[0\].status: must be an HTTP status/],
    [{ webhooks: ['http://app'] }, /webhooks\[0\]: must be an object/],
    [{ listen: { prot: 1 } }, /prot/],
    [[], /config: must be a JSON object/],
  ])('%j', (value, problem) => {
    expect(() => readConfig(value)).toThrow(problem);
    expect(schema.safeParse(value).success).toBe(false);
  });

  test('a file that is missing or is no JSON', () => {
    const path = statePath();
    expect(() => readConfigFile(path)).toThrow(/config: .* cannot be read \(ENOENT\): check the path/);
    writeFileSync(path, '{ "balance": }');
    expect(() => readConfigFile(path)).toThrow(/config: .* is not JSON: /);
  });
});

test('the schema knows every option of createSandbox and of a fault, each with its words', () => {
  const { properties } = jsonSchema;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(sandboxFields)));
  const ofFaults = properties.faults.items.properties;
  expect(Object.keys(ofFaults)).toEqual(Object.keys(faultSchema.shape));
  for (const field of [
    ...Object.values<{ description?: string }>(properties),
    ...Object.values<{ description?: string }>(ofFaults),
  ]) {
    expect(field.description).toMatch(/\w/);
  }
});

test('the published copy of the schema is the same', () => {
  const published = new URL('../../docs/sandbox-config.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(jsonSchema);
});

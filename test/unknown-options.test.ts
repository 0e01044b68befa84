import { describe, expect, it } from 'vitest';
import * as bulk from '../src/bulk/index.js';
import * as main from '../src/index.js';
import * as node from '../src/node/index.js';
import * as opentelemetry from '../src/opentelemetry/index.js';
import * as orders from '../src/orders/index.js';
import * as sandbox from '../src/sandbox/index.js';
import * as webhooks from '../src/webhooks/index.js';

const secret = 'whsec_0123456789abcdef0123456789abcdef';
const purchase = { biller: 'MTN', recipient: '08031234567', amount: 500 } as const;
const item = { product: 'airtime', params: purchase, idempotency_key: 'order-1' } as const;
const service = sandbox.createSandbox();
const client = new main.BillPay(service.connection);
service.webhooks.subscribe({ handler: () => new Response() });
const sold = await client.purchase(item);
await service.settle(sold.reference, 'success');
const delivered = service.deliveryOf(sold.reference) as sandbox.SandboxDelivery;
const store = orders.memoryOrderStore();
const shop = orders.createOrders({ billpay: client, store });
const nothing = (): undefined => undefined;
const pool = { query: async () => ({ rows: [] }), connect: async () => ({}) };
const catalogue = { biller: 'MTN' } as const;
const person = { biller: 'IKEDC', recipient: '0124000952992', meter_type: 'prepaid' } as const;

/** Every public function that takes options, by the entry point that exports it or what it is called on. */
const functions: Readonly<Record<string, Readonly<Record<string, (options: never) => unknown>>>> = {
  billpay: {
    BillPay: (options) => new main.BillPay(options),
    createPacer: main.createPacer,
    verifyWebhook: (options: object) => main.verifyWebhook({ body: '', headers: {}, secret, ...options }),
  },
  client: {
    purchase: (options) => client.purchase(item, options),
    request: (options) => client.request({ method: 'GET', path: '/data/variations' }, options),
    'airtime.purchase': (options) => client.airtime.purchase(purchase, options),
    'data.products': (options) => client.data.products(catalogue, options),
    'tv.validate': (options) => client.tv.validate({ biller: 'DSTV', recipient: '02110144711' }, options),
    'electricity.validate': (options) => client.electricity.validate(person, options),
    'edu.validate': (options) => client.edu.validate({ biller: 'JAMB', recipient: '0123456789' }, options),
    'transactions.status': (options) => client.transactions.status('TXN-1', options),
    'transactions.waitUntilSettled': (options) => client.transactions.waitUntilSettled('TXN-1', options),
    'webhooks.subscribe': (options) => client.webhooks.subscribe({ url: 'https://example.com/' }, options),
  },
  'billpay/node': { nodeTransport: node.nodeTransport },
  'billpay/webhooks': {
    createWebhookHandler: (options: object) =>
      webhooks.createWebhookHandler({ secret, onUnknown: nothing, ...options }),
    'createWebhookHandler (on)': (on: object) => webhooks.createWebhookHandler({ secret, on }),
    memoryDedupe: webhooks.memoryDedupe,
    postgresDedupe: (options) => webhooks.postgresDedupe(pool, options),
    redisDedupe: (options) => webhooks.redisDedupe({ eval: async () => 'new' }, options),
    signWebhook: (options: object) => webhooks.signWebhook({ body: '{}', secret, event: 'x', ...options }),
    verifyWebhook: (options: object) => webhooks.verifyWebhook({ body: '', headers: {}, secret, ...options }),
  },
  'billpay/bulk': {
    purchaseAll: (options: object) => bulk.purchaseAll(client, [item], { store, run: 'a', ...options }),
    settleAll: (options: object) => bulk.settleAll(client, { store, run: 'a', ...options }),
  },
  'billpay/orders': {
    createOrders: (options: object) => orders.createOrders({ billpay: client, store, ...options }),
    'createOrders (on)': (on) => orders.createOrders({ billpay: client, store, on }),
    bullmqQueue: orders.bullmqQueue,
    pgBossQueue: (options) => orders.pgBossQueue({} as never, options),
    memoryOrderStore: orders.memoryOrderStore,
    mysqlOrderStore: (options) => orders.mysqlOrderStore(pool as never, options),
    postgresOrderStore: (options) => orders.postgresOrderStore(pool as never, options),
    statementRows: (columns) => orders.statementRows([], columns),
    sqliteOrderStore: (options) => orders.sqliteOrderStore({} as never, options),
  },
  orders: {
    place: (options) => shop.place({ ...item, id: 'order-1' } as never, options),
    list: (options) => shop.list(options),
    'list (settled)': (settled) => shop.list({ settled }),
    stats: (options) => shop.stats(options),
    resolve: (options) => shop.resolve('order-1', options),
    cancel: (options) => shop.cancel('order-1', options),
    start: (options) => shop.start(options),
    reconcile: (options) => shop.reconcile(options),
    webhookHandler: (options: object) => shop.webhookHandler({ secret, ...options }),
    nodeWebhookHandler: (options: object) => shop.nodeWebhookHandler({ secret, ...options }),
  },
  'billpay/opentelemetry': {
    instrument: opentelemetry.instrument,
    instrumentOrders: opentelemetry.instrumentOrders,
    instrumentWebhooks: opentelemetry.instrumentWebhooks,
    observeOrders: (options) => opentelemetry.observeOrders(shop, options),
  },
  'billpay/sandbox': {
    createSandbox: sandbox.createSandbox,
    'createSandbox (rateLimits)': (rateLimits) => sandbox.createSandbox({ rateLimits }),
    'createSandbox (catalogue)': (catalogue) => sandbox.createSandbox({ catalogue }),
    'createSandbox (clients)': (one) => sandbox.createSandbox({ clients: [one] }),
  },
  sandbox: {
    listen: (options) => service.listen(options),
    'client.update': (options) => service.client().update(options),
    'faults.add': (options) => service.faults.add(options),
    'delivery.redeliver': (options) => delivered.redeliver(options),
    setPrice: (options) => service.setPrice(options),
    'webhooks.subscribe': (options) => service.webhooks.subscribe(options),
  },
};

/** Exported functions without options. */
const withoutOptions: Readonly<Record<string, readonly string[]>> = {
  billpay: ['isBillPayError', 'nextStep', 'normalizePhone', 'pinoLogger', 'winstonLogger'],
  'billpay/webhooks': ['isKnownEvent', 'toNodeHandler'],
  'billpay/orders': ['checkOrder', 'inProcessQueue'],
  'billpay/sandbox': ['applyConfig', 'readConfigFile'],
};

const entryPoints = {
  billpay: main,
  'billpay/bulk': bulk,
  'billpay/node': node,
  'billpay/opentelemetry': opentelemetry,
  'billpay/orders': orders,
  'billpay/sandbox': sandbox,
  'billpay/webhooks': webhooks,
};

const isErrorClass = (value: unknown): boolean =>
  value === Error || (typeof value === 'function' && value.prototype instanceof Error);

describe.each(Object.entries(functions))('%s', (_, known) => {
  it.each(Object.entries(known))('%s refuses an option that it does not know', async (_, call) => {
    const given = async () => call({ optoin: 1 } as never);
    const error = await given().then(nothing, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ConfigurationError', mayHaveCharged: false });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/optoin: is not an option of .+; the options are /),
    );
  });
});

it.each(Object.entries(entryPoints))('every function of %s is listed here', (name, exported) => {
  const listed = [...Object.keys(functions[name] ?? {}), ...(withoutOptions[name] ?? [])];
  const missing = Object.entries(exported)
    .filter(([, value]) => typeof value === 'function' && !isErrorClass(value))
    .map(([name]) => name)
    .filter((one) => !listed.includes(one));
  expect(missing).toEqual([]);
});

import { assertOption } from '../../validation/options.js';
import { version } from '../../version.js';
import { isFamily, type PriceChange } from '../service/catalogue.js';
import { durationMs } from '../service/duration.js';
import { faultFromJson } from '../service/fault-options.js';
import { triggers } from '../service/triggers.js';
import { type ControlRoute, done, listOf, notFound, objectOf, oneOf, reference, schemas } from './route.js';
import { summaryView } from './summary.js';
import { clockView, faultView } from './views.js';

/** Everything around the service: faults, the clock, prices, the audit, and the sandbox itself. */

const faultRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/faults',
    summary: 'Lists the faults that can still meet a request, oldest first.',
    returns: listOf('Fault'),
    handle: ({ sandbox }) => ({ data: sandbox.faults.active.map(faultView), next: null }),
  },
  {
    method: 'POST',
    path: '/faults',
    summary: 'Adds a fault. It meets the next matching request, or as many as `times` says.',
    body: reference('FaultOptions'),
    returns: reference('Fault'),
    handle: ({ sandbox, body }) => faultView(sandbox.faults.add(faultFromJson(body))),
  },
  {
    method: 'DELETE',
    path: '/faults',
    summary: 'Removes all faults.',
    returns: done,
    handle: ({ sandbox }) => {
      sandbox.faults.clear();
      return { ok: true };
    },
  },
  {
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Removes one fault.',
    returns: done,
    handle: ({ sandbox, params }) => {
      const fault = sandbox.faults.active.find(({ id }) => String(id) === params['id']);
      if (!fault) throw notFound(`Fault ${params['id']} is not active: it is used up, or was removed.`);
      fault.remove();
      return { ok: true };
    },
  },
];

const clockRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/clock',
    summary: 'Which clock the sandbox runs on, its time, and when the next event is due.',
    returns: reference('Clock'),
    handle: ({ sandbox }) => clockView(sandbox),
  },
  {
    method: 'POST',
    path: '/clock/advance',
    summary: 'Moves a manual clock on. Responds when everything that fell due is done, deliveries included.',
    body: objectOf(
      { by: { type: ['string', 'number'], description: 'Such as 5m, 90s, 250ms, or ms as a number.' } },
      ['by'],
    ),
    returns: reference('Clock'),
    handle: async ({ sandbox, body }) => {
      await sandbox.advance(durationMs('by', body['by']));
      return clockView(sandbox);
    },
  },
  {
    method: 'POST',
    path: '/clock/next',
    summary: 'Moves a manual clock to the next event and runs it.',
    returns: reference('Clock'),
    handle: async ({ sandbox }) => {
      await sandbox.advanceToNext();
      return clockView(sandbox);
    },
  },
  {
    method: 'POST',
    path: '/clock/run',
    summary: 'Moves a manual clock on until nothing is scheduled any more.',
    returns: reference('Clock'),
    handle: async ({ sandbox }) => {
      await sandbox.runUntilIdle();
      return clockView(sandbox);
    },
  },
];

const catalogueRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/catalogue',
    summary: 'What is sold: products and prices by family and biller.',
    returns: reference('Catalogue'),
    handle: ({ sandbox }) => sandbox.catalogue,
  },
  {
    method: 'PUT',
    path: '/catalogue/{product}/{biller}/{product_code}',
    summary: 'Changes a listed price. Purchases with the old price get 422 AMOUNT_MISMATCH from now on.',
    body: objectOf({ amount: schemas.naira }, ['amount']),
    returns: objectOf({
      product: oneOf('data', 'tv', 'edu'),
      biller: schemas.text,
      product_code: schemas.text,
      amount: schemas.naira,
    }),
    handle: ({ sandbox, params, body }) => {
      const { product, biller = '', product_code = '' } = params;
      assertOption(isFamily(product), 'product', 'must be data, tv or edu');
      // `setPrice` checks the amount.
      const price: PriceChange = { product, biller, product_code, amount: body['amount'] as number };
      sandbox.setPrice(price);
      return price;
    },
  },
];

export const environmentRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/info',
    summary: 'The version, the run, the base address of the service, the seed and the clock.',
    returns: reference('Info'),
    handle: ({ sandbox, baseUrl, runId }) => ({
      version,
      run_id: runId,
      base_url: baseUrl,
      seed: sandbox.seed,
      clock: clockView(sandbox),
      default_client_id: sandbox.credentials.clientId,
    }),
  },
  {
    method: 'GET',
    path: '/summary',
    summary: 'How many there are of everything, the next retry of a webhook, the audit and the clock.',
    returns: reference('Summary'),
    handle: ({ sandbox }) => summaryView(sandbox),
  },
  {
    method: 'POST',
    path: '/idle',
    summary: 'Responds when no webhook is being sent. What is scheduled for later is not waited for.',
    returns: done,
    handle: async ({ sandbox }) => {
      await sandbox.idle();
      return { ok: true };
    },
  },
  ...faultRoutes,
  ...clockRoutes,
  ...catalogueRoutes,
  {
    method: 'GET',
    path: '/triggers',
    summary: 'The recipients that make something happen, the same ones for every product.',
    returns: listOf('Trigger'),
    handle: () => ({ data: triggers, next: null }),
  },
  {
    method: 'GET',
    path: '/audit',
    summary:
      'Checks the books: each sale debited once, each failed one refunded once, every balance the sum of its ledger.',
    returns: reference('Audit'),
    handle: ({ sandbox }) => sandbox.audit(),
  },
  {
    method: 'POST',
    path: '/reset',
    summary:
      'Sets everything back to the beginning: wallets, sales, keys, subscriptions, faults and requests.',
    returns: done,
    handle: ({ sandbox }) => {
      sandbox.reset();
      return { ok: true };
    },
  },
];

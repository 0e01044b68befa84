import { assertOption } from '../../validation/options.js';
import { version } from '../../version.js';
import { checkFault, faultFields } from '../lab/fault-options.js';
import { triggers } from '../lab/triggers.js';
import { isFamily, type PriceChange } from '../rules/catalogue.js';
import { allOptional, duration, naira } from '../schemas/kinds.js';
import {
  type ControlRoute,
  done,
  listOf,
  notFound,
  objectOf,
  oneOf,
  reference,
  route,
  schemas,
} from './route.js';
import { summaryView } from './summary.js';
import { clockView, faultView } from './views.js';

/** Everything around the service: faults, the clock, prices, the audit, and the sandbox itself. */

const faultRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/faults',
    summary: 'Lists the faults that can still meet a request, oldest first.',
    returns: listOf('Fault'),
    handle: ({ sandbox }) => ({ data: sandbox.faults.active.map(faultView), next: null }),
  }),
  route({
    method: 'POST',
    path: '/faults',
    summary: 'Adds a fault. It meets the next matching request, or as many as `times` says.',
    body: allOptional(faultFields),
    returns: reference('Fault'),
    handle: ({ sandbox, body }) => faultView(sandbox.faults.add(checkFault(body))),
  }),
  route({
    method: 'DELETE',
    path: '/faults',
    summary: 'Removes all faults.',
    returns: done,
    handle: ({ sandbox }) => {
      sandbox.faults.clear();
      return { ok: true };
    },
  }),
  route({
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
  }),
];

const clockRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/clock',
    summary: 'Which clock the sandbox runs on, its time, and when the next event is due.',
    returns: reference('Clock'),
    handle: ({ sandbox }) => clockView(sandbox),
  }),
  route({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Moves a manual clock on. Responds when everything that fell due is done, deliveries included.',
    body: { by: duration('Such as 5m, 90s, 250ms, or ms as a number.') },
    returns: reference('Clock'),
    handle: async ({ sandbox, body }) => {
      await sandbox.advance(body.by);
      return clockView(sandbox);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/next',
    summary: 'Moves a manual clock to the next event and runs it.',
    returns: reference('Clock'),
    handle: async ({ sandbox }) => {
      await sandbox.advanceToNext();
      return clockView(sandbox);
    },
  }),
  route({
    method: 'POST',
    path: '/clock/run',
    summary: 'Moves a manual clock on until nothing is scheduled any more.',
    returns: reference('Clock'),
    handle: async ({ sandbox }) => {
      await sandbox.runUntilIdle();
      return clockView(sandbox);
    },
  }),
];

const catalogueRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/catalogue',
    summary: 'What is sold: products and prices by family and biller.',
    returns: reference('Catalogue'),
    handle: ({ sandbox }) => sandbox.catalogue,
  }),
  route({
    method: 'PUT',
    path: '/catalogue/{product}/{biller}/{product_code}',
    summary: 'Changes a listed price. Purchases with the old price get 422 AMOUNT_MISMATCH from now on.',
    body: { amount: naira() },
    returns: objectOf({
      product: oneOf('data', 'tv', 'edu'),
      biller: schemas.text,
      product_code: schemas.text,
      amount: schemas.naira,
    }),
    handle: ({ sandbox, params, body }) => {
      const { product, biller = '', product_code = '' } = params;
      assertOption(isFamily(product), 'product', 'must be data, tv or edu');
      const price: PriceChange = { product, biller, product_code, amount: body.amount };
      sandbox.setPrice(price);
      return price;
    },
  }),
];

export const environmentRoutes: readonly ControlRoute[] = [
  route({
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
  }),
  route({
    method: 'GET',
    path: '/summary',
    summary: 'How many there are of everything, the next retry of a webhook, the audit and the clock.',
    returns: reference('Summary'),
    handle: ({ sandbox }) => summaryView(sandbox),
  }),
  route({
    method: 'POST',
    path: '/idle',
    summary: 'Responds when no webhook is being sent. What is scheduled for later is not waited for.',
    returns: done,
    handle: async ({ sandbox }) => {
      await sandbox.idle();
      return { ok: true };
    },
  }),
  ...faultRoutes,
  ...clockRoutes,
  ...catalogueRoutes,
  route({
    method: 'GET',
    path: '/triggers',
    summary: 'The recipients that make something happen, the same ones for every product.',
    returns: listOf('Trigger'),
    handle: () => ({ data: triggers, next: null }),
  }),
  route({
    method: 'GET',
    path: '/audit',
    summary:
      'Checks the books: each transaction debited once, each failed one refunded once, every balance the sum of its ledger.',
    returns: reference('Audit'),
    handle: ({ sandbox }) => sandbox.audit(),
  }),
  route({
    method: 'POST',
    path: '/reset',
    summary:
      'Sets everything back to the beginning: wallets, transactions, keys, subscriptions, faults and requests.',
    returns: done,
    handle: ({ sandbox }) => {
      sandbox.reset();
      return { ok: true };
    },
  }),
];

import { version } from '../../version.js';
import { checkFault, faultSchema } from '../lab/fault-options.js';
import { triggers } from '../lab/triggers.js';
import { checkedPrice, priceSchema } from '../schemas/catalogue-options.js';
import { duration, naira } from '../schemas/kinds.js';
import { listOf } from './lists.js';
import * as resources from './resources.js';
import { type ControlRoute, found, route } from './route.js';
import { summaryView } from './summary.js';
import { clockView, faultView } from './views.js';

/** Everything around the service: faults, the clock, prices, the audit, and the sandbox itself. */

export const environmentRoutes: readonly ControlRoute[] = [
  route('GET /info', {
    summary: 'The version, the run, the base address of the service, the seed and the clock.',
    returns: resources.info,
    handle: ({ sandbox, baseUrl, runId }) => ({
      version,
      run_id: runId,
      base_url: baseUrl,
      seed: sandbox.seed,
      clock: clockView(sandbox),
      default_client_id: sandbox.credentials.clientId,
    }),
  }),
  route('GET /summary', {
    summary: 'How many there are of everything, the next retry of a webhook, the audit and the clock.',
    returns: resources.summary,
    handle: ({ sandbox }) => summaryView(sandbox),
  }),
  route('POST /idle', {
    summary: 'Responds when no webhook is being sent. What is scheduled for later is not waited for.',
    handle: ({ sandbox }) => sandbox.idle(),
  }),
  route('GET /faults', {
    summary: 'Lists the faults that can still meet a request, oldest first.',
    returns: listOf(resources.fault),
    handle: ({ sandbox }) => ({ data: sandbox.faults.active.map(faultView), next: null }),
  }),
  route('POST /faults', {
    summary: 'Adds a fault. It meets the next matching request, or as many as `times` says.',
    body: faultSchema.shape,
    returns: resources.fault,
    handle: ({ sandbox, body }) => faultView(sandbox.faults.add(checkFault(body))),
  }),
  route('DELETE /faults', {
    summary: 'Removes all faults.',
    handle: ({ sandbox }) => sandbox.faults.clear(),
  }),
  route('DELETE /faults/{id}', {
    summary: 'Removes one fault.',
    handle: ({ sandbox, param }) => {
      const fault = sandbox.faults.active.find(({ id }) => String(id) === param('id'));
      found(fault, `Fault ${param('id')} is not active: it is used up, or was removed.`).remove();
    },
  }),
  route('GET /clock', {
    summary: 'Which clock the sandbox runs on, its time, and when the next event is due.',
    returns: resources.clock,
    handle: ({ sandbox }) => clockView(sandbox),
  }),
  route('POST /clock/advance', {
    summary: 'Moves a manual clock on. Responds when everything that fell due is done, deliveries included.',
    body: { by: duration('Such as 5m, 90s, 250ms, or ms as a number.') },
    returns: resources.clock,
    handle: async ({ sandbox, body }) => {
      await sandbox.advance(body.by);
      return clockView(sandbox);
    },
  }),
  route('POST /clock/next', {
    summary: 'Moves a manual clock to the next event and runs it.',
    returns: resources.clock,
    handle: async ({ sandbox }) => {
      await sandbox.advanceToNext();
      return clockView(sandbox);
    },
  }),
  route('POST /clock/run', {
    summary: 'Moves a manual clock on until nothing is scheduled any more.',
    returns: resources.clock,
    handle: async ({ sandbox }) => {
      await sandbox.runUntilIdle();
      return clockView(sandbox);
    },
  }),
  route('GET /catalogue', {
    summary: 'What is sold: products and prices by family and biller.',
    returns: resources.catalogue,
    handle: ({ sandbox }) => sandbox.catalogue,
  }),
  route('PUT /catalogue/{product}/{biller}/{product_code}', {
    summary: 'Changes a listed price. Purchases with the old price get 422 AMOUNT_MISMATCH from now on.',
    body: { amount: naira() },
    returns: priceSchema,
    handle: ({ sandbox, param, body }) => {
      const [product, biller, product_code] = ['product', 'biller', 'product_code'].map(param);
      const price = checkedPrice({ product, biller, product_code, ...body });
      sandbox.setPrice(price);
      return price;
    },
  }),
  route('GET /triggers', {
    summary: 'The recipients that make something happen, the same ones for every product.',
    returns: listOf(resources.trigger),
    handle: () => ({ data: triggers, next: null }),
  }),
  route('GET /audit', {
    summary:
      'Checks the books: each transaction debited once, each failed one refunded once, every balance the sum of its ledger.',
    returns: resources.audit,
    handle: ({ sandbox }) => sandbox.audit(),
  }),
  route('POST /reset', {
    summary:
      'Sets everything back to the beginning: wallets, transactions, keys, subscriptions, faults and requests.',
    handle: ({ sandbox }) => sandbox.reset(),
  }),
];

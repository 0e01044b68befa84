import { Hono } from 'hono/tiny';
import * as z from 'zod/mini';
import { isRecord } from '../../utils/unknown.js';
import { checkCorruption, checkRedelivery } from '../lab/fault-options.js';
import type { SandboxDelivery } from '../records/delivery.js';
import type { SandboxRefusal, SandboxRequest, SandboxTransaction } from '../records/objects.js';
import { wordOf } from '../schemas/fields.js';
import { commissionOn } from '../service/transactions.js';
import type { Sandbox } from '../types.js';
import {
  all,
  contains,
  filters,
  ofClient,
  pageOf,
  pageQuery,
  reversed,
  type Source,
  sourceOf,
} from './lists.js';
import type { Purchase, TransactionDetail } from './types.js';
import { body, checkedBy, found, noBody, query } from './validate.js';

/** What was tried, what came of it, and what was sent about it. */

const state = z.optional(wordOf(['pending', 'success', 'failed', 'refused'], 'Only those in this state.'));
/** A filter that is on when it is given, with any value. */
const given = z.optional(z.string());
const outcome = wordOf(['success', 'failed'], 'How it settles.');

const isTransaction = (one: SandboxTransaction | SandboxRefusal): one is SandboxTransaction =>
  'reference' in one;

/** Transactions and refusals in the order in which they were tried. */
function triedIn({ transactions, refusals }: Sandbox): Source<SandboxTransaction | SandboxRefusal> {
  function* newest() {
    let last = transactions.length - 1;
    for (const refusal of reversed(refusals)) {
      yield* reversed(transactions, last, refusal.position);
      last = Math.min(last, refusal.position - 1);
      yield refusal;
    }
    yield* reversed(transactions, last);
  }
  return {
    length: transactions.length + refusals.length,
    from: (order) => (order === 'newest' ? newest() : [...newest()].reverse()),
  };
}

const textsOf = (one: SandboxTransaction | SandboxRefusal): readonly unknown[] => [
  isTransaction(one) ? one.reference : one.code,
  one.recipient,
  one.idempotency_key,
  one.product_code,
];

const isFailing = ({ attempts }: SandboxDelivery): boolean => attempts.at(-1)?.delivered === false;

/** Sends a delivery again: its scheduled retry where there is one. */
const sendAgain = (delivery: SandboxDelivery) =>
  delivery.nextAttemptAt ? delivery.retryNow() : delivery.redeliver();

/** The error code of a response. */
const codeOf = ({ response }: SandboxRequest): unknown =>
  isRecord(response?.body) ? response.body['code'] : undefined;

export function recordRoutes(sandbox: Sandbox): Hono {
  const transactionOf = (reference: string) =>
    found(sandbox.transaction(reference), `There is no transaction ${reference} in this sandbox.`);
  const deliveryOf = (id: string) =>
    found(sandbox.delivery(id), `There is no delivery ${id} in this sandbox.`);
  const purchase = (one: SandboxTransaction | SandboxRefusal): Purchase =>
    isTransaction(one) ? { transaction: one, delivery: sandbox.deliveryOf(one.reference) } : { refusal: one };
  const detailOf = (transaction: SandboxTransaction): TransactionDetail => ({
    transaction,
    commission: commissionOn(transaction),
    timeline: sandbox.timeline(transaction.reference),
    requests: sandbox.requestsOf(transaction.reference),
    delivery: sandbox.deliveryOf(transaction.reference),
  });

  return (
    new Hono()
      // What was tried: transactions with their webhooks, and refusals.
      .get('/purchases', query({ ...pageQuery, ...filters, state }), (c) => {
        const { client, q, state, ...page } = c.req.valid('query');
        const isInState = (one: SandboxTransaction | SandboxRefusal) =>
          (isTransaction(one) ? one.status : 'refused') === state;
        const isWanted = all(ofClient(client), contains(q, textsOf), state && isInState);
        const { data, total } = pageOf(triedIn(sandbox), page, isWanted);
        return c.json({ data: data.map(purchase), total });
      })
      .get('/transactions', query({ ...pageQuery, ...filters, state }), (c) => {
        const { client, q, state, ...page } = c.req.valid('query');
        const isInState = ({ status }: SandboxTransaction) => status === state;
        const isWanted = all(ofClient(client), contains(q, textsOf), state && isInState);
        return c.json(pageOf(sourceOf(sandbox.transactions), page, isWanted));
      })
      .get('/transactions/:reference', (c) => c.json(detailOf(transactionOf(c.req.param('reference')))))
      .post('/transactions/:reference/settle', body({ outcome }), async (c) => {
        const { reference } = transactionOf(c.req.param('reference'));
        return c.json(await sandbox.settle(reference, c.req.valid('json').outcome));
      })
      .get('/deliveries', query({ ...pageQuery, ...filters, failing: given }), (c) => {
        const { client, q, failing, ...page } = c.req.valid('query');
        const texts = ({ id, reference }: SandboxDelivery) => {
          const transaction = sandbox.transaction(reference);
          return [id, ...(transaction ? textsOf(transaction) : [reference])];
        };
        const isWanted = all(
          ofClient(client),
          contains(q, texts),
          failing === undefined ? undefined : isFailing,
        );
        return c.json(pageOf(sourceOf(sandbox.deliveries), page, isWanted));
      })
      .get('/deliveries/:id', (c) => c.json(deliveryOf(c.req.param('id'))))
      // Responds after the attempt, which says whether the receiver accepted it.
      .post('/deliveries/:id/retry', noBody, async (c) =>
        c.json(await deliveryOf(c.req.param('id')).retryNow()),
      )
      .post('/deliveries/:id/redeliver', checkedBy(checkRedelivery), async (c) => {
        const { corrupt } = c.req.valid('json');
        return c.json(await deliveryOf(c.req.param('id')).redeliver(corrupt && { corrupt }));
      })
      .post('/deliveries/retry', noBody, async (c) => {
        const attempts = await Promise.all(sandbox.deliveries.filter(isFailing).map(sendAgain));
        const delivered = attempts.filter((attempt) => attempt.delivered).length;
        return c.json({ sent: attempts.length, delivered });
      })
      .post('/deliveries/corrupt', body({ how: z.unknown(), times: z.optional(z.unknown()) }), (c) => {
        const given = c.req.valid('json');
        const { how, times } = checkCorruption(given.how, given.times);
        sandbox.corruptDeliveries(how, times);
        return c.json({ how, times });
      })
      .get('/requests', query({ ...pageQuery, ...filters, status: given, warnings: given }), (c) => {
        const { client, q, status, warnings, ...page } = c.req.valid('query');
        const texts = (one: SandboxRequest) => [
          one.reference,
          one.idempotency_key,
          codeOf(one),
          ...(isRecord(one.body) ? [one.body['recipient'], one.body['product_code']] : []),
        ];
        const isWanted = all(
          ofClient<SandboxRequest>(client),
          contains(q, texts),
          // The HTTP status or its beginning: 422, 5, or none.
          status && (({ response }) => String(response?.status ?? 'none').startsWith(status)),
          warnings === undefined ? undefined : (one) => one.warnings.length > 0,
        );
        return c.json(pageOf(sourceOf(sandbox.requests), page, isWanted));
      })
      .get('/requests/:id', (c) => {
        const id = c.req.param('id');
        return c.json(
          found(sandbox.request(Number(id)), `Request ${id} is not in the log any more, or never was.`),
        );
      })
  );
}

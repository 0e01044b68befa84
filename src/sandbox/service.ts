import type { Account } from './accounts.js';
import { admit } from './admission.js';
import { type Answer, failure, proxyPage, success } from './answers.js';
import { type Call, type Exchange, readCall } from './call.js';
import { hasCatalogue } from './catalogue.js';
import { Turn } from './clock.js';
import { bytesLeft, delayOf, endsBefore, type FaultOptions, faultAnswer } from './faults.js';
import { wireTime } from './format.js';
import { type Order, priceOf, readOrder, unknownBiller } from './purchases.js';
import { type SandboxRequest, shownHeaders } from './requests.js';
import type { Route } from './routes.js';
import { settle } from './settlement.js';
import { acceptance, statusView, type Transaction } from './transactions.js';
import { slowMs, type TriggerEffect, triggerOf } from './triggers.js';
import type { World } from './world.js';

/** What the caller gets to see. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Only the first `bytes` of the body come through. */
  | { readonly kind: 'cut'; readonly answer: Answer; readonly bytes: number }
  /** The connection closes without an answer. */
  | { readonly kind: 'closed' };

/** What working on a request led to. */
interface Served {
  readonly answer: Answer;
  readonly transaction?: Transaction;
  readonly replayed?: boolean;
  /** The answer is lost on its way. */
  readonly closed?: boolean;
}

/** A request that was admitted. */
interface Work {
  /** How long it takes, in ms by the sandbox's clock. */
  readonly holdMs: number;
  run(): Served;
  /** Called once the caller has been answered. */
  end(): void;
}

const nothing = () => undefined;
const done = (served: Served): Work => ({ holdMs: 0, run: () => served, end: nothing });

/** A request on its way through the service. */
interface Passage {
  readonly call: Call;
  readonly arrived: number;
  readonly fault: FaultOptions | undefined;
  /** Undefined where a fault ends the request before anything is processed. */
  readonly work: Work | undefined;
  /** ms to hold it before it is processed. */
  readonly holdBefore: number;
  /** ms to hold its answer. */
  readonly holdAfter: number;
}

/** From a request to what its caller sees of it: at once, unless something holds it. */
export function serve(world: World, exchange: Exchange): Outcome | Promise<Outcome> {
  const call = readCall(exchange);
  const fault = world.faults.take(call);
  const work = fault && endsBefore(fault) ? undefined : begin(world, call);
  const delay = fault ? delayOf(fault) : 0;
  const passage: Passage = {
    call,
    arrived: world.clock.now(),
    fault,
    work,
    holdBefore: (fault?.when === 'after' ? 0 : delay) + (work?.holdMs ?? 0),
    holdAfter: fault?.when === 'after' ? delay : 0,
  };
  return passage.holdBefore + passage.holdAfter > 0
    ? serveHeld(world, passage)
    : finish(world, passage, work?.run());
}

async function serveHeld(world: World, passage: Passage): Promise<Outcome> {
  const turn = new Turn(world.clock);
  if (!(await turn.hold(passage.holdBefore))) return { kind: 'closed' };
  const served = passage.work?.run();
  if (!(await turn.hold(passage.holdAfter))) return { kind: 'closed' };
  const outcome = finish(world, passage, served);
  turn.end();
  return outcome;
}

function finish(world: World, passage: Passage, served: Served | undefined): Outcome {
  passage.work?.end();
  const { fault } = passage;
  const answer = fault ? faultAnswer(fault, served?.answer) : served?.answer;
  const outcome = outcomeOf(answer, fault, served?.closed ?? false);
  record(world, passage, served, answer, outcome);
  return outcome;
}

function outcomeOf(answer: Answer | undefined, fault: FaultOptions | undefined, lost: boolean): Outcome {
  if (answer === undefined || lost || fault?.connection === 'close') return { kind: 'closed' };
  const bytes = fault && bytesLeft(fault, answer);
  return bytes === undefined ? { kind: 'answer', answer } : { kind: 'cut', answer, bytes };
}

function begin(world: World, call: Call): Work {
  const admission = admit(world, call);
  if (!admission.ok) return done({ answer: admission.answer });
  const { account, route, params } = admission;
  switch (route.operation.kind) {
    case 'purchase':
      return purchase(world, account, route, readOrder(params));
    case 'subscribe':
      return done({ answer: subscribe(world, account, params) });
    case 'read':
      return done(read(world, account, route, params));
  }
}

function purchase(world: World, account: Account, route: Route, order: Order): Work {
  const { keys } = account;
  const key = order.idempotency_key;
  const known = keys.look(key);
  if (known.is === 'in flight') {
    return done({
      answer: failure(409, 'ALREADY_PROCESSING', 'A request with this idempotency_key is still in flight.'),
    });
  }
  if (known.is === 'used') {
    const { transaction } = known;
    return done({ answer: success(202, acceptance(transaction)), transaction, replayed: true });
  }
  const effect = triggerOf(order.recipient);
  keys.reserve(key);
  return {
    holdMs: effect === 'slow' ? slowMs : 0,
    run: () => buy(world, account, route, order, effect),
    end: () => keys.release(key),
  };
}

function buy(
  world: World,
  account: Account,
  route: Route,
  order: Order,
  effect: TriggerEffect | undefined,
): Served {
  const { product } = route.operation;
  if (product === undefined) throw new Error(`${route.name} sells nothing`);
  const price = priceOf(order, product, world.catalogue);
  if (!price.ok) return price;
  if (effect === 'provider unavailable') {
    return { answer: failure(503, 'PROVIDER_UNAVAILABLE', 'This biller cannot be served now.') };
  }
  if (effect === 'queue unavailable') {
    return { answer: failure(503, 'QUEUE_UNAVAILABLE', 'The purchase could not be accepted.') };
  }
  const { amount } = price;
  if (!account.wallet.covers(amount)) {
    return { answer: failure(402, 'INSUFFICIENT_BALANCE', 'The wallet balance cannot cover this purchase.') };
  }

  const now = world.clock.now();
  const transaction: Transaction = {
    reference: freshReference(world),
    clientId: account.clientId,
    operation: route.name,
    product,
    biller: order.biller,
    recipient: order.recipient,
    product_code: order.product_code,
    quantity: order.quantity,
    meter_type: order.meter_type,
    idempotency_key: order.idempotency_key,
    amount,
    status: 'pending',
    token: null,
    refunded: false,
    created_at: wireTime(now),
    updated_at: wireTime(now),
    completed_at: undefined,
    settledAt: undefined,
  };
  const entry = account.wallet.debit(amount, transaction, now);
  world.transactions.add(transaction);
  account.keys.use(order.idempotency_key, transaction);
  world.feed.emit({ type: 'wallet', clientId: account.clientId, entry });
  world.feed.emit({ type: 'transaction', change: 'accepted', transaction });
  scheduleSettlement(world, transaction, effect);
  return afterDebit(transaction, effect);
}

function freshReference({ ids, transactions }: World): string {
  let reference = ids.reference();
  while (transactions.get(reference)) reference = ids.reference();
  return reference;
}

function scheduleSettlement(world: World, transaction: Transaction, effect: TriggerEffect | undefined): void {
  if (world.settleAfter === 'manual' || effect === 'stays pending') return;
  const outcome = effect === 'settles as failed' ? 'failed' : 'success';
  world.clock.schedule(world.settleAfter, () => settle(world, transaction, outcome));
}

/** How the caller hears of a debit: as documented, or as its trigger has it. */
function afterDebit(transaction: Transaction, effect: TriggerEffect | undefined): Served {
  if (effect === 'error after the debit') {
    return { answer: failure(500, 'GATEWAY_ERROR', 'An unexpected failure occurred.'), transaction };
  }
  if (effect === 'proxy page') return { answer: proxyPage(), transaction };
  return { answer: success(202, acceptance(transaction)), transaction, closed: effect === 'answer lost' };
}

function subscribe(world: World, account: Account, params: Readonly<Record<string, unknown>>): Answer {
  const url = String(params['url']);
  const enabled = params['enabled'] !== false;
  const secret = world.ids.webhookSecret();
  account.subscription = { url, secret, enabled };
  world.feed.emit({ type: 'subscription', clientId: account.clientId, url, enabled });
  return success(200, { status: 'success', data: { url, secret, enabled, signature_version: 'v1' } });
}

function read(
  world: World,
  account: Account,
  { operation }: Route,
  params: Readonly<Record<string, unknown>>,
): Served {
  const { product } = operation;
  if (product === undefined) return status(world, account, String(params['reference']));
  const biller = String(params['biller']);
  if (!world.catalogue.serves(product, biller)) return { answer: unknownBiller(biller) };
  if (operation.method === 'GET' && hasCatalogue(product)) {
    const products = world.catalogue.products(product, biller) ?? [];
    return { answer: success(200, { status: 'success', biller: biller.toUpperCase(), products }) };
  }
  return { answer: validate(world, String(params['recipient']), product === 'electricity') };
}

/** Another client's reference is answered like one that never was. */
function status(world: World, account: Account, reference: string): Served {
  const transaction = world.transactions.get(reference);
  if (!transaction || transaction.clientId !== account.clientId) {
    return { answer: failure(404, 'NOT_FOUND', 'There is no transaction with this reference.') };
  }
  return { answer: success(200, statusView(transaction)), transaction };
}

function validate({ ids }: World, recipient: string, withAddress: boolean): Answer {
  if (triggerOf(recipient) === 'validation cannot confirm') {
    return failure(422, 'VERIFICATION_FAILED', 'The recipient could not be confirmed.');
  }
  return success(200, {
    status: 'success',
    customer_name: ids.customerName(recipient),
    ...(withAddress ? { address: ids.address(recipient) } : {}),
  });
}

const outcomes = { answer: 'answered', cut: 'cut', closed: 'closed' } as const;

function record(
  world: World,
  { call, arrived, fault }: Passage,
  served: Served | undefined,
  answer: Answer | undefined,
  outcome: Outcome,
): void {
  const { exchange } = call;
  const request: SandboxRequest = {
    id: world.log.nextId(),
    at: new Date(arrived),
    ip: call.ip,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    headers: shownHeaders(exchange.headers),
    body: call.body,
    operation: call.operation,
    clientId: call.clientId,
    idempotency_key: call.idempotencyKey,
    reference: served?.transaction?.reference,
    replayed: served?.replayed ?? false,
    fault,
    outcome: outcomes[outcome.kind],
    answer: answer && call.operation === 'webhooks.subscribe' ? maskSecret(answer) : answer,
    durationMs: world.clock.now() - arrived,
  };
  world.log.add(request);
  world.feed.emit({ type: 'request', request });
}

function maskSecret(answer: Answer): Answer {
  const masked = JSON.stringify(answer.body).replace(/whsec_\w+/g, 'whsec_…');
  return { ...answer, body: JSON.parse(masked) };
}

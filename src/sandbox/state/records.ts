import type { Account } from '../service/accounts.js';
import type { SandboxActivity } from '../service/activity.js';
import type { SandboxDelivery } from '../service/delivery.js';
import type { ServiceState } from '../service/service-state.js';
import type { TimelineEntry } from '../service/timeline.js';
import type { Transaction } from '../service/transactions.js';
import type { LedgerEntry } from '../service/wallet.js';
import type { StoredState } from './restore.js';
import type { StateRecord } from './state-file.js';

/** What is written of the state: each thing as it is after a change. */

const accountRecord = ({
  clientId,
  wallet: _wallet,
  keys: _keys,
  subscription,
  ...rest
}: Account): StateRecord => [
  'account',
  clientId,
  { ...rest, subscription: subscription && { ...subscription, handler: undefined } },
];

const saleRecord = (transaction: Transaction): StateRecord => ['sale', transaction.reference, transaction];

const ledgerRecord = (clientId: string, index: number, entry: LedgerEntry): StateRecord => [
  'ledger',
  `${clientId}/${index}`,
  { clientId, entry },
];

const deliveryRecord = (delivery: SandboxDelivery): StateRecord => ['delivery', delivery.id, delivery];

/** An entry of a transaction's timeline. */
export const timelineRecord = (reference: string, entry: TimelineEntry): StateRecord => [
  'timeline',
  String(entry.sequence),
  { reference, entry },
];

function* accountRecords(account: Account): Generator<StateRecord> {
  yield accountRecord(account);
  const { clientId, wallet } = account;
  for (const [index, entry] of wallet.ledger.entries()) yield ledgerRecord(clientId, index, entry);
}

/** What a start has changed of what the file holds: the time, the seed, and clients that were not there before. */
export function* startRecords(
  state: ServiceState,
  seed: string,
  stored: StoredState,
): Generator<StateRecord> {
  yield ['clock', '', state.clock.now()];
  if (stored.seed !== seed) yield ['seed', '', seed];
  const known = new Set(stored.accounts.map(({ clientId }) => clientId));
  for (const account of state.accounts.list) if (!known.has(account.clientId)) yield* accountRecords(account);
}

/** Everything there is, for a new file. */
export function* snapshotOf(state: ServiceState, seed: string): Generator<StateRecord> {
  yield ['seed', '', seed];
  yield ['clock', '', state.clock.now()];
  for (const price of state.catalogue.changes) yield priceRecord(price);
  for (const account of state.accounts.list) yield* accountRecords(account);
  for (const transaction of state.transactions.list) {
    yield saleRecord(transaction);
    for (const entry of state.timelines.of(transaction.reference)) {
      yield timelineRecord(transaction.reference, entry);
    }
  }
  for (const delivery of state.deliveries.list) yield deliveryRecord(delivery);
}

const priceRecord = (price: ServiceState['catalogue']['changes'][number]): StateRecord => [
  'price',
  `${price.product}/${price.biller.toUpperCase()}/${price.product_code}`,
  price,
];

/** What an activity has changed. */
export function* recordsOf(activity: SandboxActivity, state: ServiceState): Generator<StateRecord> {
  switch (activity.type) {
    case 'wallet': {
      const { clientId, entry } = activity;
      const ledger = state.accounts.byId(clientId)?.wallet.ledger ?? [];
      yield ledgerRecord(clientId, ledger.length - 1, entry);
      break;
    }
    case 'transaction': {
      const transaction = state.transactions.get(activity.transaction.reference);
      if (transaction) yield saleRecord(transaction);
      break;
    }
    case 'client':
    case 'subscription': {
      const account = state.accounts.byId(activity.clientId);
      if (account) yield accountRecord(account);
      break;
    }
    case 'event':
    case 'delivery':
      yield deliveryRecord(activity.delivery);
      break;
    case 'price':
      yield priceRecord(activity.price);
      break;
    case 'clock':
      yield ['clock', '', activity.now.getTime()];
      break;
    case 'reset':
      yield ['reset', '', null];
      break;
    default:
      break;
  }
}

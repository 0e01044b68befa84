import type { StoredOrder } from '../orders/order.js';
import type { OrderState } from '../orders/states.js';
import type { OrderStore } from '../orders/store.js';
import { withMethods } from '../validation/option-kinds.js';

const pageSize = 500;

/** The option `store`. */
export const storeOption = () =>
  withMethods<OrderStore<unknown>>(
    ['insertMany', 'due', 'list'],
    'must be an order store, such as sqliteOrderStore(database), postgresOrderStore(pool) or memoryOrderStore()',
  );

/** The states of orders that are still to be bought. */
export const statesToBuy = ['placed', 'buying', 'unknown', 'held'] as const satisfies readonly OrderState[];

/** Every order of a run in one of these states, page by page. */
export async function* ordersOf<Client>(
  store: OrderStore<Client>,
  run: string,
  states: readonly OrderState[],
): AsyncGenerator<StoredOrder, void> {
  for (const state of states) {
    let after: StoredOrder | undefined;
    do {
      const page = await store.list({ run, state, limit: pageSize, ...(after && { after }) });
      yield* page;
      after = page.length === pageSize ? page.at(-1) : undefined;
    } while (after);
  }
}

/** Whether the run has an order in one of these states. */
export async function hasOrders<Client>(
  store: OrderStore<Client>,
  run: string,
  states: readonly OrderState[],
): Promise<boolean> {
  for (const state of states) if ((await store.list({ run, state, limit: 1 })).length > 0) return true;
  return false;
}

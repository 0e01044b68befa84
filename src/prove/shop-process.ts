/** The shop in a process of its own, so that the proof can kill it. */
import { openShop, type Shop } from './shop.js';

export interface ShopCall {
  /** Tells the calls of one process apart. */
  readonly id: number;
  readonly method: keyof Shop;
  readonly args: readonly unknown[];
}

/** The result of the call with this id, or why it failed. */
export interface ShopResult {
  readonly id: number;
  readonly value?: unknown;
  readonly problem?: string;
}

// The first message of the parent has the arguments of openShop. Each further one is a call.
process.once('message', (opened: Parameters<typeof openShop>) => {
  const opening = openShop(...opened);
  process.on('message', async ({ id, method, args }: ShopCall) => {
    const result = await opening
      .then((shop) => Reflect.apply(shop[method], shop, args))
      .then(
        (value) => ({ value }),
        (error) => ({ problem: String(error?.message ?? error) }),
      );
    process.send?.({ id, ...result } satisfies ShopResult);
  });
  // Each call reports why the shop could not be opened.
  opening.catch(() => {});
});
process.on('disconnect', () => process.exit());
// Ctrl+C in a terminal reaches this process too, which must still remove the tables of the proof.
process.on('SIGINT', () => {});

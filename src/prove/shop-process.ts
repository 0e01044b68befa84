/** The shop in a process of its own, so that the proof can kill it. It is called by messages of its parent. */
import { openShop, type Shop } from './shop.js';

/** A call of `openShop` or of a method of the shop that was opened. */
export interface ShopCall {
  /** Tells the calls of one process apart. */
  readonly id: number;
  readonly method: 'open' | keyof Shop;
  readonly args: readonly unknown[];
}

/** The result of the call with this id, or why it failed. */
export interface ShopResult {
  readonly id: number;
  readonly value?: unknown;
  readonly problem?: string;
}

let shop: Shop | undefined;

async function run({ method, args }: ShopCall): Promise<unknown> {
  if (method === 'open') {
    shop = await openShop(...(args as Parameters<typeof openShop>));
    return undefined;
  }
  if (!shop) throw new Error('the shop is not open yet');
  return Reflect.apply(shop[method], shop, args);
}

process.on('message', async (call: ShopCall) => {
  const result = await run(call).then(
    (value): ShopResult => ({ id: call.id, value }),
    (error): ShopResult => ({ id: call.id, problem: String(error?.message ?? error) }),
  );
  process.send?.(result);
});
process.on('disconnect', () => process.exit());

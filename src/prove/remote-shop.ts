import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Shop } from './shop.js';
import type { ShopCall, ShopResult } from './shop-process.js';

/** A shop whose process can be killed and started again. */
export interface RemoteShop extends Shop {
  /** Kills the process with SIGKILL: nothing in it can clean up. */
  kill(): Promise<void>;
  /** Starts a new process on the same database. */
  start(): Promise<void>;
}

const lost = { problem: 'the process of the shop has ended' };

/**
 * Opens a shop in another process.
 *
 * @param program - the file of that process.
 * @param opened - the arguments of `openShop`.
 */
export async function openRemoteShop(program: URL, opened: readonly object[]): Promise<RemoteShop> {
  let child: ChildProcess | undefined;
  let calls = 0;
  const open = new Map<number, (result: Omit<ShopResult, 'id'>) => void>();

  const call =
    (method: ShopCall['method']) =>
    (...args: unknown[]): Promise<never> =>
      new Promise((resolve, reject) => {
        const id = ++calls;
        const end = ({ value, problem }: Omit<ShopResult, 'id'>) =>
          problem === undefined ? resolve(value as never) : reject(new Error(problem));
        if (!child?.connected) return end(lost);
        open.set(id, end);
        child.send({ id, method, args } satisfies ShopCall, (error) => error && end(lost));
      });

  const shop: RemoteShop = {
    async start() {
      child = fork(program, { serialization: 'advanced', stdio: 'ignore' });
      child.on('message', (result: ShopResult) => {
        open.get(result.id)?.(result);
        open.delete(result.id);
      });
      child.once('exit', () => {
        for (const end of open.values()) end(lost);
        open.clear();
      });
      child.send(opened);
      await shop.ended();
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    receive: call('receive'),
    sell: call('sell'),
    ended: call('ended'),
    review: call('review'),
    books: call('books'),
    remove: () => call('remove')().finally(() => shop.kill()),
  };
  try {
    await shop.start();
  } catch (error) {
    await shop.kill();
    throw error;
  }
  return shop;
}

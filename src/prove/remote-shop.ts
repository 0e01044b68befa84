import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ProofDatabase } from './database.js';
import type { Shop, ShopSettings } from './shop.js';
import type { ShopCall, ShopResult } from './shop-process.js';

/** A shop whose process can be killed and started again. */
export interface RemoteShop extends Shop {
  /** Kills the process with SIGKILL: nothing in it can clean up. */
  kill(): Promise<void>;
  /** Starts a new process on the same database. */
  start(): Promise<void>;
}

/** @param program - the file of the shop's process. */
export async function openRemoteShop(
  program: URL,
  database: ProofDatabase,
  settings: ShopSettings,
): Promise<RemoteShop> {
  let child: ChildProcess | undefined;
  let calls = 0;
  const open = new Map<number, (result: ShopResult) => void>();

  const call = (method: ShopCall['method'], ...args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      const lost = () => reject(new Error('the process of the shop has ended'));
      if (!child?.connected) return lost();
      open.set(id, ({ value, problem }) =>
        problem === undefined ? resolve(value as never) : reject(new Error(problem)),
      );
      child.send({ id, method, args } satisfies ShopCall, (error) => error && lost());
    });

  const start = async () => {
    const started = fork(program, { serialization: 'advanced', stdio: 'ignore' });
    child = started;
    started.on('message', (result: ShopResult) => {
      open.get(result.id)?.(result);
      open.delete(result.id);
    });
    started.once('exit', () => {
      for (const [id, end] of open) end({ id, problem: 'the process of the shop has ended' });
      open.clear();
    });
    await call('open', database, settings);
  };

  await start();
  return {
    start,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    receive: (webhook) => call('receive', webhook),
    sell: (plan) => call('sell', plan),
    ended: () => call('ended'),
    review: (chargedKeys) => call('review', chargedKeys),
    books: (plan) => call('books', plan),
    async remove() {
      await call('remove');
      child?.disconnect();
    },
  };
}

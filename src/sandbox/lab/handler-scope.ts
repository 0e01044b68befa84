import { assertOption } from '../../validation/options.js';

/** Knows whether code is called by a webhook handler that has not returned yet. */
export interface HandlerScope {
  run<T>(handler: () => T | Promise<T>): Promise<T>;
  /** Throws where a handler would wait for itself. */
  refuseInside(name: string): void;
}

/** Where a runtime cannot follow calls (without `node:async_hooks`), nothing is refused. */
export function createHandlerScope(): HandlerScope {
  const hooks = typeof process === 'object' ? process.getBuiltinModule?.('node:async_hooks') : undefined;
  const storage = hooks && new hooks.AsyncLocalStorage<{ returned: boolean }>();
  return {
    run: async (handler) => {
      const call = { returned: false };
      try {
        return await (storage ? storage.run(call, handler) : handler());
      } finally {
        call.returned = true;
      }
    },
    refuseInside: (name) => {
      assertOption(
        storage?.getStore()?.returned !== false,
        name,
        'waits until webhooks are answered, so a webhook handler that waits for it waits for itself: return the response first',
      );
    },
  };
}

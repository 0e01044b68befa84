import { readProperty } from '../utils/read-property.js';

/** What the runtime had when this package was loaded. */
interface OwnFetch {
  readonly fetch: unknown;
  /** The dispatchers that Node made for itself; undefined where there was one before, which may be anybody's. */
  readonly dispatchers: readonly unknown[] | undefined;
}

/** Where the `fetch` of Node finds its dispatcher, which `setGlobalDispatcher` of the package undici replaces. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

/** The dispatchers and their `dispatch`, which an application may replace, too. */
const dispatchersNow = (): unknown[] =>
  dispatcherKeys.flatMap((key) => {
    const dispatcher: unknown = Reflect.get(globalThis, key);
    return [dispatcher, readProperty(dispatcher, 'dispatch')];
  });

function lookAtRuntime(): OwnFetch {
  const isUntouched = dispatchersNow().every((part) => part === undefined);
  // Node makes its dispatcher when one of the classes of `fetch` is first used.
  const { fetch, Headers: used } = globalThis;
  return { fetch, dispatchers: isUntouched && typeof used === 'function' ? dispatchersNow() : undefined };
}

/** Shared by all copies of this package in a process: the second one would find the dispatcher that the first one brought about. */
const ownKey = Symbol.for('billpay.ownFetch');

const own: OwnFetch = Reflect.get(globalThis, ownKey) ?? lookAtRuntime();
Reflect.set(globalThis, ownKey, own);

/**
 * Whether a failure of this function tells what became of the request: it is the `fetch` that was global when this package was loaded,
 * and no other dispatcher is set than the one that Node made for itself. Everything else is in doubt: a function that has replaced the
 * global `fetch` (instrumentation, a framework's cache, a mock) may have sent the request and failed afterwards, and a dispatcher may send
 * requests again. So may the `fetch` of Deno, which resends a request whose connection closed.
 */
export const isOwnFetch = (fetch: unknown): boolean =>
  fetch === own.fetch &&
  !('Deno' in globalThis) &&
  own.dispatchers !== undefined &&
  dispatchersNow().every((part, at) => part === own.dispatchers?.[at]);

/** Whether a function sends a POST again by itself after a 421, unless its body is a stream: the `fetch` of Node does. */
export const repeatsAfter421 = (fetch: unknown): boolean =>
  fetch === own.fetch && dispatcherKeys.some((key) => Reflect.get(globalThis, key) !== undefined);

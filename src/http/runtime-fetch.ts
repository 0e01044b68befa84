import { readProperty } from '../utils/read-property.js';

/**
 * Whether a failure of this function says what became of the request: whether it is the runtime's own `fetch`, over
 * the runtime's own connections. A function that has replaced the global `fetch` (instrumentation, a framework's cache, a mock) may
 * have sent the request and failed afterwards, and so may a dispatcher that resends requests. What cannot be recognised is
 * taken for a replacement. Deno's own is left out on purpose: it resends a request whose connection closed, so its last
 * failure says nothing of the request before.
 */
export const isRuntimeFetch = (fetch: unknown): boolean =>
  typeof fetch === 'function' && isRuntimeSource(fetch) && dispatcherKeys.every(hasPlainDispatcher);

/** The source of each runtime's own `fetch` that sends a request once. No wrapper has the same: a bound function or a proxy has no name or another. */
const runtimeSources = [
  // Bun, workerd and browsers.
  /^function fetch\(\) \{\s*\[native code\]\s*\}$/,
  // Node: only its own code can require this module.
  /require\('internal\/deps\/undici\/undici'\)/,
];

function isRuntimeSource(fetch: object): boolean {
  const source = Function.prototype.toString.call(fetch);
  return readProperty(fetch, 'name') === 'fetch' && runtimeSources.some((own) => own.test(source));
}

/** Where the `fetch` of Node finds its dispatcher, which `setGlobalDispatcher` of the package undici replaces. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

/** Dispatchers that send a request at most once. */
const plainDispatchers = ['Agent', 'ProxyAgent', 'EnvHttpProxyAgent', 'Dispatcher1Wrapper'];

/** None yet, or one of Node's and undici's that no interceptor was composed with. */
function hasPlainDispatcher(key: symbol): boolean {
  const dispatcher: unknown = Reflect.get(globalThis, key) ?? undefined;
  if (dispatcher === undefined) return true;
  const prototype: unknown = Object.getPrototypeOf(dispatcher);
  return (
    plainDispatchers.some((name) => readProperty(readProperty(prototype, 'constructor'), 'name') === name) &&
    readProperty(dispatcher, 'dispatch') === readProperty(prototype, 'dispatch')
  );
}

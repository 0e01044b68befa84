import { ConfigurationError } from '../errors/configuration-error.js';
import { once } from '../utils/functions.js';

/**
 * Node's own modules, loaded on first use: a static import of node:http makes every start 17 to 28 ms slower on Node 24, even for
 * programs that never create a transport.
 */
export const modules = {
  http: once(() => process.getBuiltinModule('node:http')),
  https: once(() => process.getBuiltinModule('node:https')),
  zlib: once(() => process.getBuiltinModule('node:zlib')),
};

/** Throws where these modules are missing, as in browsers: when a transport is created, not at the first sale. */
export function needNode(): void {
  const { process } = globalThis as { process?: { getBuiltinModule?: unknown } };
  if (typeof process?.getBuiltinModule !== 'function') {
    throw new ConfigurationError(
      'nodeTransport',
      'needs Node 20.16, 22.3 or later, for node:http; elsewhere leave the option transport out',
    );
  }
}

import { ConfigurationError } from '../errors/configuration-error.js';

/**
 * Node's own modules, looked up when first used: a static import of node:http costs every start 17 to 28 ms on Node 24,
 * and who only imports this file need not pay it.
 */
export const modules = {
  get http() {
    return builtin('node:http');
  },
  get https() {
    return builtin('node:https');
  },
  get zlib() {
    return builtin('node:zlib');
  },
};

type Builtins = {
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
  'node:zlib': typeof import('node:zlib');
};

/** Throws where there is none, as in browsers: checked when a fetch is made, not at the first sale. */
export function needNode(): void {
  const { process } = globalThis as { process?: { getBuiltinModule?: unknown } };
  if (typeof process?.getBuiltinModule !== 'function') {
    throw new ConfigurationError(
      'nodeFetch',
      'needs Node 20.16, 22.3 or later, for node:http; elsewhere leave the option fetch out',
    );
  }
}

const builtin = <N extends keyof Builtins>(name: N): Builtins[N] => process.getBuiltinModule(name);

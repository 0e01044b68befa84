import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRuntimeFetch } from '../../src/http/runtime-fetch.js';

const runtimeFetch = globalThis.fetch;
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

afterEach(() => {
  vi.unstubAllGlobals();
});

it("recognises the runtime's own fetch, before and after its first use", async () => {
  expect(isRuntimeFetch(runtimeFetch)).toBe(true);
  await runtimeFetch('data:,x');
  expect(isRuntimeFetch(runtimeFetch)).toBe(true);
});

describe('recognises by their source those of other runtimes', () => {
  it.each([
    ['Bun', 'function fetch() {\n    [native code]\n}'],
    ['Chrome and workerd', 'function fetch() { [native code] }'],
    [
      'Node 24',
      "function fetch(input, init = undefined) {\n    if (!fetchImpl) {\n      const undiciModule = require('internal/deps/undici/undici');\n      fetchImpl = undiciModule.fetch;\n    }\n    return fetchImpl(input, init);\n  }",
    ],
  ])('%s', (_, source) => {
    function fetch() {}
    const spy = vi.spyOn(Function.prototype, 'toString').mockReturnValue(source);
    const own = isRuntimeFetch(fetch);
    spy.mockRestore();
    expect(own).toBe(true);
  });
});

it('does not rely on the one of Deno, which resends requests', () => {
  function fetch() {}
  const spy = vi
    .spyOn(Function.prototype, 'toString')
    .mockReturnValue('function fetch(...e){return lazyFetch().fetch(...new n(e))}');
  const own = isRuntimeFetch(fetch);
  spy.mockRestore();
  expect(own).toBe(false);
});

describe('takes for a replacement', () => {
  function fetch(input: string) {
    return runtimeFetch(input);
  }
  it.each<[string, unknown]>([
    ['a wrapper', (...given: Parameters<typeof runtimeFetch>) => runtimeFetch(...given)],
    ['a wrapper of the same name', fetch],
    ['a bound wrapper', fetch.bind(undefined)],
    ['a proxy', new Proxy(runtimeFetch, {})],
    ['a mock', vi.fn(runtimeFetch)],
    ['nothing', undefined],
  ])('%s', (_, given) => {
    expect(isRuntimeFetch(given)).toBe(false);
  });

  class Agent {
    dispatch() {
      return true;
    }
  }
  class RetryAgent extends Agent {}
  it.each<[string, unknown, boolean]>([
    ['a plain one', new Agent(), true],
    ['one that resends', new RetryAgent(), false],
    [
      'one with interceptors',
      new Proxy(new Agent(), {
        get: (agent, name) => (name === 'dispatch' ? () => false : Reflect.get(agent, name)),
      }),
      false,
    ],
    ['one without a prototype', Object.create(null), false],
    ['none at all', null, true],
  ])("the runtime's own fetch over another dispatcher: %s", (_, dispatcher, own) => {
    const before: unknown = Reflect.get(globalThis, dispatcherKey);
    Reflect.set(globalThis, dispatcherKey, dispatcher);
    const judged = isRuntimeFetch(runtimeFetch);
    Reflect.set(globalThis, dispatcherKey, before);
    expect(judged).toBe(own);
  });
});

import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isOwnFetch, repeatsAfter421 } from '../../src/http/connection-proof.js';

const ownFetch = globalThis.fetch;
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

afterEach(() => {
  vi.unstubAllGlobals();
});

it('recognises the fetch that was global when the package was loaded, before and after its first use', async () => {
  expect(isOwnFetch(ownFetch)).toBe(true);
  await ownFetch('data:,x');
  expect(isOwnFetch(ownFetch)).toBe(true);
});

it('knows that the fetch of Node repeats a POST after a 421, and supposes it of no other', () => {
  expect(repeatsAfter421(ownFetch)).toBe(true);
  expect(repeatsAfter421(vi.fn(ownFetch))).toBe(false);
});

it('does not rely on the one of Deno, which resends requests', () => {
  vi.stubGlobal('Deno', {});
  expect(isOwnFetch(ownFetch)).toBe(false);
});

describe('doubts every other function', () => {
  function fetch(input: string) {
    return ownFetch(input);
  }
  it.each<[string, unknown]>([
    ['a wrapper', (...given: Parameters<typeof ownFetch>) => ownFetch(...given)],
    ['a wrapper of the same name', fetch],
    ['one with the same source', Object.assign(fetch, { toString: () => ownFetch.toString() })],
    ['a bound one', ownFetch.bind(undefined)],
    ['a proxy', new Proxy(ownFetch, {})],
    ['a mock', vi.fn(ownFetch)],
    ['nothing', undefined],
  ])('%s', (_, given) => {
    expect(isOwnFetch(given)).toBe(false);
  });
});

describe("doubts the runtime's own fetch over every other dispatcher", () => {
  const key = dispatcherKeys.find((one) => Reflect.get(globalThis, one) !== undefined) ?? Symbol();
  const original: object = Reflect.get(globalThis, key);

  const judged = (dispatcher: unknown) => {
    Reflect.set(globalThis, key, dispatcher);
    try {
      return isOwnFetch(ownFetch);
    } finally {
      Reflect.set(globalThis, key, original);
    }
  };

  it.each<[string, () => unknown]>([
    ['another one of the same class', () => Reflect.construct(original.constructor as () => void, [])],
    [
      'one of the same class whose factory is another',
      () => Reflect.construct(original.constructor as () => void, [{ factory: () => original }]),
    ],
    ['one with interceptors', () => new Proxy(original, {})],
    ['one without a prototype', () => Object.create(null)],
    ['none', () => undefined],
  ])('%s', (_, make) => {
    expect(judged(make())).toBe(false);
    expect(isOwnFetch(ownFetch)).toBe(true);
  });

  it('also when its dispatch has been replaced', () => {
    Object.assign(original, { dispatch: () => true });
    expect(isOwnFetch(ownFetch)).toBe(false);
    Reflect.deleteProperty(original, 'dispatch');
    expect(isOwnFetch(ownFetch)).toBe(true);
  });
});

describe('in a process of its own', () => {
  const judge = (before: string): unknown =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [
          '--import',
          'tsx',
          '--input-type=module',
          '--eval',
          `${before};
          await import('./src/index.js');
          const { isOwnFetch } = await import('./src/http/connection-proof.js');
          const first = isOwnFetch(globalThis.fetch);
          await fetch('data:,x');
          console.log(JSON.stringify([first, isOwnFetch(globalThis.fetch)]));`,
        ],
        { encoding: 'utf8' },
      ),
    );

  it('relies on the runtime that nobody has touched', () => {
    expect(judge('')).toEqual([true, true]);
  });

  it('relies on it also where node:http was imported before, which makes the dispatcher on some versions', () => {
    expect(judge("await import('node:http'); new Headers()")).toEqual([true, true]);
  });
});

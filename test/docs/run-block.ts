import ts from 'typescript';
import { expect } from 'vitest';
import type { CodeBlock } from './pages.js';

/** What an empty folder with the package is not enough for: test/sandbox/guide.test.ts runs these blocks, test/package all others. */
export const needsMore = ({ code }: CodeBlock): boolean =>
  /@playwright\/test|from 'msw'|from 'node:http';\nimport .*createSandbox/.test(code) ||
  /^const .* = require\(/m.test(code);

type Hook = () => unknown;
type Body = (fixtures: Record<string, unknown>) => unknown;
type Fixture = (others: object, use: (value: unknown) => Promise<void>) => Promise<void>;

/** As much of vitest, jest and Playwright's runner as code blocks need. */
export function testRunner() {
  const before: Hook[] = [];
  const after: Hook[] = [];
  const last: Hook[] = [];
  const bodies: { body: Body; fixtures: Record<string, Fixture> }[] = [];
  const testWith = (fixtures: Record<string, Fixture>) =>
    Object.assign((_name: string, body: Body) => void bodies.push({ body, fixtures }), {
      extend: (more: Record<string, Fixture>) => testWith({ ...fixtures, ...more }),
    });
  const globals = {
    expect,
    test: testWith({}),
    beforeEach: (hook: Hook) => void before.push(hook),
    afterEach: (hook: Hook) => void after.push(hook),
    afterAll: (hook: Hook) => void last.push(hook),
  };
  const withFixtures = async (
    body: Body,
    left: [string, Fixture][],
    ready: Record<string, unknown>,
  ): Promise<void> => {
    const [next, ...rest] = left;
    if (!next) return void (await body(ready));
    await next[1]({}, (value) => withFixtures(body, rest, { ...ready, [next[0]]: value }));
  };
  /** Runs the tests that were declared, and resolves to their number. */
  const run = async (given: Record<string, unknown>) => {
    for (const { body, fixtures } of bodies) {
      for (const hook of before) await hook();
      await withFixtures(body, Object.entries(fixtures), given);
      for (const hook of after) await hook();
    }
    for (const hook of last) await hook();
    return bodies.length;
  };
  return { globals, run };
}

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;

/**
 * Runs the code of a block as it stands and resolves to what it exports.
 *
 * @param modules - what the block may import, by name.
 * @param globals - what the block may use without importing it.
 */
export async function execute(
  code: string,
  modules: Readonly<Record<string, unknown>>,
  globals: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const names = Object.keys(globals);
  const load = (name: string) => {
    if (!(name in modules)) throw new Error(`the code block imports ${name}, which is not provided`);
    return modules[name];
  };
  const exported = {};
  // In braces, so that a block may declare what others take from the runner.
  const body = new AsyncFunction('require', 'exports', ...names, `{${outputText}\n}`);
  await body(load, exported, ...names.map((name) => globals[name]));
  return exported;
}

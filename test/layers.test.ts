import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** The core, from the bottom up: each layer imports only from itself and from those before it. */
const core = [
  'utils',
  'contract',
  // Errors print themselves, so what redacts stands below them, and knows none of them.
  'redaction',
  'errors',
  'options',
  'validation',
  'postgres',
  'pacing',
  'http',
  'resources',
  'client',
];

/** Files that belong to another layer than their folder says. */
const rootFiles: Readonly<Record<string, string>> = {
  'version.ts': 'utils',
  'client-options.ts': 'client',
  'commands/billpay.ts': 'program',
};

/** Features beside the client, and what each may import besides itself and the core below the client. */
const features: Readonly<Record<string, readonly string[]>> = {
  postgres: [],
  webhooks: ['postgres'],
  orders: ['webhooks', 'postgres'],
  bulk: ['orders'],
  node: [],
  opentelemetry: [],
  // What commands share: the frame, the terminal, the databases of a shop.
  commands: ['orders'],
  // The program, which loads the command that is called.
  program: ['commands', 'commands/doctor', 'commands/prove', 'commands/reconcile', 'sandbox'],
  // It is an application of the package, on the orders of a shop.
  'commands/reconcile': ['commands', 'orders', 'index'],
  // It is an application of the package: a shop, its orders and a sandbox.
  'commands/prove': ['commands', 'orders', 'webhooks', 'sandbox', 'index'],
  'commands/doctor': ['commands', 'webhooks', 'orders', 'index'],
  // The command verifies the webhooks that it forwards.
  sandbox: ['commands', 'webhooks'],
};

/** Every source file, with those of the sandbox's page. */
const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

/**
 * The rooms of the sandbox, from the bottom up: each imports only from itself and from those before it.
 */
const sandboxRows: readonly (readonly string[])[] = [
  ['schemas'],
  ['records'],
  ['service'],
  ['lab'],
  ['deliveries'],
  ['http'],
  ['state', 'options.ts', 'words.ts'],
  ['types.ts', 'create-state.ts'],
  ['config.ts', 'client-handle.ts', 'control'],
  ['page'],
  ['app.ts'],
  ['sandbox.ts'],
  ['index.ts'],
  ['command'],
];

const roomOf = (path: string): string => path.split('/')[1] ?? '';
const rowOf = (room: string): number => sandboxRows.findIndex((rooms) => rooms.includes(room));

function isAllowedInSandbox(from: string, to: string): boolean {
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === other) return true;
  const [row, otherRow] = [rowOf(room), rowOf(other)];
  return otherRow < row;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files of src that it imports, types included. */
  readonly imports: readonly string[];
}

/** The file behind an import: `view.js` is `view.ts` or `view.tsx`. */
function sourceOf(imported: string): string {
  const source = imported.replace(/\.js$/, '.ts');
  return !paths.includes(source) && paths.includes(`${source}x`) ? `${source}x` : source;
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(src, path), 'utf8');
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^'";]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm),
  ];
  const imports = specifiers.map(([, from, lazy]) =>
    sourceOf(normalize(join(dirname(path), from ?? lazy ?? ''))),
  );
  return { path, text, imports };
}

const files = paths.map(readSource);

/** `http` of `http/loop.ts`, `client` of `client.ts`, `commands/doctor` of `commands/doctor/doctor.ts`. */
const layerOf = (path: string): string =>
  rootFiles[path] ?? /^commands\/\w+(?=\/)/.exec(path)?.[0] ?? path.split('/')[0]?.replace(/\.ts$/, '') ?? '';

function isAllowed(from: string, to: string): boolean {
  if (from === to || from === 'index') return true;
  if (core.includes(from)) return core.indexOf(to) !== -1 && core.indexOf(to) < core.indexOf(from);
  return features[from]?.includes(to) || (to !== 'client' && core.includes(to));
}

/** The first import cycle that a depth-first walk meets, as a path of files. */
function findCycle(): readonly string[] | undefined {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of importsOf.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}

describe('the layers of src', () => {
  it('import only from the layers before them', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter((to) => !isAllowed(layerOf(path), layerOf(to))).map((to) => `${path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('of the sandbox have an order of their own', () => {
    const inSandbox = files.filter(({ path }) => path.startsWith('sandbox/'));
    expect(inSandbox.filter(({ path }) => rowOf(roomOf(path)) < 0).map(({ path }) => path)).toEqual([]);
    const wrong = inSandbox.flatMap(({ path, imports }) =>
      imports
        .filter((to) => to.startsWith('sandbox/') && !isAllowedInSandbox(path, to))
        .map((to) => `${path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have no import cycle', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('import only files that exist', () => {
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(500);
    const missing = files.flatMap(({ path, imports }) =>
      imports.filter((to) => !paths.includes(to)).map((to) => `${path} imports ${to}`),
    );
    expect(missing).toEqual([]);
  });

  it('have no file over 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 301);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './tools.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files that a build and `npm pack` need. */
const sources = [
  'src',
  'package.json',
  'tsconfig.json',
  'tsup.config.ts',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'docs',
  'examples',
  'tools',
];

/** The packed package, and throwaway projects that have it installed. */
export interface Packed {
  /** The tarball. */
  readonly tarball: string;
  /** The installed package's own folder. */
  readonly installed: string;
  /** The names of every entry point that code imports, such as `billpay/webhooks`. */
  readonly entryPoints: readonly string[];
  /** Whether the package has an entry point. */
  has(entry: string): boolean;
  /** A new project with the package in its node_modules. */
  consumer(name: string, options: ConsumerOptions): string;
  remove(): void;
}

export interface ConsumerOptions {
  readonly type?: 'module' | 'commonjs';
  /** Contents by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Packages to link into its node_modules: folders by name. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Builds a copy of the sources aside, so that the checkout's dist is not touched, and packs it. */
async function packAside(base: string): Promise<string> {
  const sourceCopy = join(base, 'source');
  mkdirSync(sourceCopy);
  const filter = (path: string) => basename(path) !== 'node_modules';
  for (const name of sources) cpSync(join(root, name), join(sourceCopy, name), { recursive: true, filter });
  symlinkSync(join(root, 'node_modules'), join(sourceCopy, 'node_modules'));
  await run('npm', ['run', 'build', '--silent'], sourceCopy);
  const name = await run('npm', ['pack', '--silent', '--pack-destination', base], sourceCopy);
  return join(base, name.trim());
}

/** Installs the package once: that of `BILLPAY_TARBALL`, as in .ci/run, or what the sources are now. */
export async function packPackage(): Promise<Packed> {
  const base = mkdtempSync(join(tmpdir(), 'billpay-runtimes-'));
  const tarball = process.env['BILLPAY_TARBALL'] ?? (await packAside(base));
  const first = join(base, 'installed');
  mkdirSync(first);
  writeFileSync(join(first, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], first);
  const installed = join(first, 'node_modules', 'billpay');
  return {
    tarball,
    installed,
    entryPoints: entryPointsOf(installed),
    has: (entry) => existsSync(join(installed, 'dist', entry)),
    consumer: (name, options) => writeConsumer(join(base, name), installed, options),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The only peer dependency, which `billpay/opentelemetry` needs. */
export const openTelemetryApi = join(root, 'node_modules/@opentelemetry/api');

function entryPointsOf(installed: string): string[] {
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object' || /\.c?js$/.test(String(target)))
    .map(([entry]) => entry.replace('.', 'billpay'));
}

function writeConsumer(folder: string, installed: string, options: ConsumerOptions): string {
  const { type = 'module', files = {}, links = {} } = options;
  const copy = join(folder, 'node_modules', 'billpay');
  cpSync(installed, copy, { recursive: true });
  const manifest = { private: true, type, dependencies: { billpay: '*' } };
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  for (const [name, target] of Object.entries(links)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(target, link);
  }
  return folder;
}

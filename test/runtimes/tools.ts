import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const { platform, arch } = process;

/** Every runtime, compiler, bundler and test runner that the package is tested on. Together they are over 1 GB, so they are not dependencies. */
export const versions = {
  'node-20': `npm:node-${platform}-${arch}@20.20.2`,
  'node-22': `npm:node-${platform}-${arch}@22.23.3`,
  'node-24': `npm:node-${platform}-${arch}@24.21.0`,
  'node-26': `npm:node-${platform}-${arch}@26.10.0`,
  bun: `npm:@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}@1.4.5`,
  deno: `npm:@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}@2.9.6`,
  miniflare: '4.20260730.0',
  'typescript-5.4': 'npm:typescript@5.4.5',
  'typescript-5.9': 'npm:typescript@5.9.3',
  'typescript-6.0': 'npm:typescript@6.0.3',
  'typescript-7.0': 'npm:typescript@7.0.2',
  '@types/node': '20.19.43',
  esbuild: '0.27.7',
  rollup: '4.67.4',
  '@rollup/plugin-commonjs': '29.0.3',
  '@rollup/plugin-node-resolve': '16.0.3',
  '@rollup/plugin-terser': '1.0.0',
  webpack: '5.112.2',
  next: '16.2.4',
  react: '19.3.1',
  'react-dom': '19.3.1',
  vite: '8.3.8',
  jest: '30.5.2',
  vitest: '4.1.12',
} as const;

export type Tool = keyof typeof versions;

const manifest = JSON.stringify({
  private: true,
  dependencies: versions,
  // The newest version whose native packages exist for every platform.
  overrides: { rolldown: '1.2.19' },
});

/** The version of a tool, without the alias. */
export const versionOf = (tool: Tool): string => versions[tool].split('@').at(-1) ?? '';

/** The folder of the tools: one for each list of versions, filled at the first run. */
const cache = process.env['BILLPAY_RUNTIMES_CACHE'] ?? join(homedir(), '.cache', 'billpay-runtimes');
const folder = join(cache, createHash('sha256').update(manifest).digest('hex').slice(0, 12));

/** The folder of an installed tool. */
export const toolFolder = (tool: Tool): string => join(folder, 'node_modules', tool);

export const toolModules = join(folder, 'node_modules');

/** Installs the tools unless they are there. */
export async function installTools(): Promise<void> {
  if (existsSync(folder)) return;
  const half = `${folder}.${process.pid}`;
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, 'package.json'), manifest);
  console.log(`Downloading the runtimes into ${folder} (once; about 1.4 GB)`);
  try {
    await run('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], half);
    renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

/** Resolves to a program's output; rejects with all of it where the program fails or takes longer than five minutes. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NODE_ENV: undefined, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
      killSignal: 'SIGKILL',
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${signal ?? code}\n${out}${err}`));
    });
  });
}

import { exec, execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
import type { Finding } from '../../src/doctor/finding.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the repository, so that the command finds what is installed in it. */
const folder = join(root, 'node_modules/.billpay-doctor-test', String(process.pid));
const command = join(folder, 'command.mjs');

/** Bundles the command once: a process that compiles TypeScript by itself starts ten times as slowly. */
export async function buildCommand(): Promise<void> {
  await build({
    entryPoints: [join(root, 'src/doctor/command/index.ts')],
    outfile: command,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { '#hmac': join(root, 'src/webhooks/hmac/node.ts') },
    logLevel: 'error',
  });
}

/** Removes the bundle. */
export const removeCommand = (): void => rmSync(folder, { recursive: true, force: true });

/** One run of the command. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The variables whose values must never be printed. */
const secretNames = [
  'BILLPAY_API_KEY',
  'BILLPAY_WEBHOOK_SECRET',
  'BILLPAY_DATABASE_URL',
  'BILLPAY_REDIS_URL',
];

/** Runs `billpay` as a process with these variables and no others of the package. */
export async function runBillpay(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeArgs: readonly string[] = [],
): Promise<Run> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('BILLPAY_'));
  const run = await new Promise<Run>((resolve) => {
    execFile(
      process.execPath,
      // The bundle is the program that `billpay doctor` starts.
      [...nodeArgs, command, ...(args[0] === 'doctor' ? args.slice(1) : args)],
      { cwd: root, env: { ...Object.fromEntries(others), ...env } },
      (error, stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
  for (const value of secretNames.flatMap((name) => env[name] ?? [])) {
    const password = URL.canParse(value) ? new URL(value).password : '';
    for (const secret of password ? [value, password] : [value]) {
      expect(`${run.stdout}${run.stderr}`).not.toContain(secret);
    }
  }
  return run;
}

/** Runs `billpay` with its output piped into another command, and with no variable of the package. */
export function runThroughPipe(args: readonly string[], reader: string) {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('BILLPAY_'));
  const line = `"${process.execPath}" "${command}" ${args.join(' ')} | ${reader}`;
  return new Promise<Pick<Run, 'stdout' | 'stderr'>>((resolve) => {
    exec(line, { cwd: root, env: Object.fromEntries(others) }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

/** Runs `billpay doctor --json`; returns the findings by the names of their checks. */
export async function examine(env: Readonly<Record<string, string>>, nodeArgs: readonly string[] = []) {
  const { exitCode, stdout, stderr } = await runBillpay(['doctor', '--json'], env, nodeArgs);
  expect(stderr).toBe('');
  const { ok, findings }: { ok: boolean; findings: Finding[] } = JSON.parse(stdout);
  expect(exitCode).toBe(ok ? 0 : 1);
  for (const { status, remedy } of findings) {
    if (status === 'failed' || status === 'warning') expect(remedy).toBeTruthy();
  }
  const status = Object.fromEntries(findings.map((finding) => [finding.check, finding.status]));
  const message = Object.fromEntries(findings.map((finding) => [finding.check, finding.message]));
  return { ok, status, message };
}

const servers: Server[] = [];

/** Starts a server on a free port of this machine; returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An origin on which nothing listens: the port was free a moment ago. */
export async function closedOrigin(): Promise<string> {
  const origin = await serve(() => {});
  closeServers();
  return origin;
}

/** Ends the servers that were started. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

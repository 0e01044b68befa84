import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PostgresPool } from '../postgres/pool.js';

/** Loads the first of these modules that the application in a folder has installed; undefined where it has none. */
export async function loadInstalled(
  folder: string,
  names: readonly string[],
): Promise<{ readonly name: string; readonly module: unknown } | undefined> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  for (const name of names) {
    let file: string;
    try {
      file = resolve(name);
    } catch {
      continue;
    }
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return { name, module: module.default ?? module };
  }
  return undefined;
}

/** A pool of `pg` that is ended after its use. */
export interface InstalledPool extends PostgresPool {
  end(): Promise<void>;
}

interface Pg {
  readonly Pool: new (
    options: object,
  ) => InstalledPool & {
    on(event: 'error', listener: () => void): unknown;
  };
}

/** A pool of the `pg` that is installed in a folder; undefined where it is not. Nothing is connected yet. */
export async function openPool(
  folder: string,
  connectionString: string,
  limits: { readonly connectionTimeoutMillis?: number; readonly query_timeout?: number } = {},
): Promise<InstalledPool | undefined> {
  const installed = await loadInstalled(folder, ['pg']);
  if (!installed) return undefined;
  const pool = new (installed.module as Pg).Pool({ connectionString, ...limits });
  // A connection that the server closes is replaced by the pool.
  pool.on('error', () => {});
  return pool;
}

/** By a variable, because the types are those of Node 20, which does not have the module. */
const sqliteModule: string = 'node:sqlite';

export interface NodeSqlite<Database> {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => Database;
}

/** node:sqlite; undefined before Node 22.13. */
export const nodeSqlite = <Database>(): NodeSqlite<Database> | undefined =>
  process.getBuiltinModule(sqliteModule) as NodeSqlite<Database> | undefined;

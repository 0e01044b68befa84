import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

/** By a variable, because the types are those of Node 20, which does not have the module. */
const sqliteModule: string = 'node:sqlite';

/** What is used of node:sqlite. */
export interface NodeSqlite<Database> {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => Database;
}

/** node:sqlite; undefined before Node 22.13. */
export const nodeSqlite = <Database>(): NodeSqlite<Database> | undefined =>
  process.getBuiltinModule(sqliteModule) as NodeSqlite<Database> | undefined;

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { SqliteOrderDatabase, SqlValue } from 'billpay/orders';

interface Builtin {
  readonly DatabaseSync: new (path: string) => SqliteOrderDatabase;
}

/** Opens a SQLite file: with node:sqlite where this Node has it, else with node-sqlite3-wasm. */
export async function openSqlite(path: string): Promise<SqliteOrderDatabase> {
  // Typed here, because the types of Node 20 do not know the module.
  const builtin = process.getBuiltinModule('node:sqlite') as Builtin | undefined;
  if (builtin) {
    const database = new builtin.DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  }
  const { Database } = (await import('node-sqlite3-wasm')).default;
  takeOver(path);
  const database = new Database(path);
  // It never rolls a journal back after a crash, because it takes its own lock for that of a living writer. A write-ahead log needs no rollback.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        // Its own `get` leaves the statement open, and an open statement forbids COMMIT.
        get: (...values: SqlValue[]) => statement.all(values)[0],
        all: (...values: SqlValue[]) => statement.all(values),
        run: (...values: SqlValue[]) => statement.run(values),
      };
    },
  };
}

/**
 * Removes the lock that a killed process left behind: node-sqlite3-wasm locks a file by a folder beside it, which outlives the process.
 *
 * @throws if another process that is alive has the file open.
 */
function takeOver(path: string): void {
  const owner = `${path}.pid`;
  if (existsSync(owner)) {
    const pid = Number(readFileSync(owner, 'utf8'));
    if (pid !== process.pid && isAlive(pid))
      throw new Error(`${path} is in use by process ${pid}: one shop for each file`);
  }
  rmSync(`${path}.lock`, { recursive: true, force: true });
  writeFileSync(owner, String(process.pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

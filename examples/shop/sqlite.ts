import type { SqliteOrderDatabase, SqliteValue } from 'billpay/orders';

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
  const database = new Database(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        // Its own `get` leaves the statement open, and an open statement forbids COMMIT.
        get: (...values: SqliteValue[]) => statement.all(values)[0],
        all: (...values: SqliteValue[]) => statement.all(values),
        run: (...values: SqliteValue[]) => statement.run(values),
      };
    },
  };
}

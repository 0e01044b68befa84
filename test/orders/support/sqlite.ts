import wasm from 'node-sqlite3-wasm';
import type { SqliteOrderDatabase, SqliteValue } from '../../../src/orders/index.js';

/** A SQLite file with the methods of `better-sqlite3` and node:sqlite, on every version of Node. */
export function openSqlite(path: string): SqliteOrderDatabase & { close(): void } {
  const database = new wasm.Database(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        // Its own `get` leaves the statement open, and an open statement forbids COMMIT.
        get: (...values: SqliteValue[]) => statement.all(values)[0],
        all: (...values: SqliteValue[]) => statement.all(values),
        run: (...values: SqliteValue[]) => statement.run(values),
      };
    },
    close: () => database.close(),
  };
}

import { createRequire } from 'node:module';
import wasm from 'node-sqlite3-wasm';
import type { SqliteOrderDatabase, SqlValue } from '../../../src/orders/index.js';

/** A SQLite file with the methods of `better-sqlite3` and node:sqlite, on every version of Node. */
export function openSqlite(path: string): SqliteOrderDatabase & { close(): void } {
  const database = new wasm.Database(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      const checked = (values: SqlValue[]) => {
        // As strict as better-sqlite3, which knows no numbered parameters in a list of values.
        if (/\?\d/.test(sql) || sql.split('?').length - 1 !== values.length) {
          throw new RangeError(`${values.length} values do not fit ${sql}`);
        }
        return values;
      };
      return {
        // Its own `get` leaves the statement open, and an open statement forbids COMMIT.
        get: (...values: SqlValue[]) => statement.all(checked(values))[0],
        all: (...values: SqlValue[]) => statement.all(checked(values)),
        run: (...values: SqlValue[]) => statement.run(checked(values)),
      };
    },
    close: () => database.close(),
  };
}

interface Builtin {
  readonly DatabaseSync: new (path: string) => SqliteOrderDatabase & { close(): void };
}

/** The libraries of SQLite that can be had here, each with what opens a file. */
export function sqliteLibraries(): readonly (readonly [string, typeof openSqlite])[] {
  // Typed here, because the types of Node 20 do not know the module.
  const builtin = process.getBuiltinModule('node:sqlite') as Builtin | undefined;
  const compiled = process.env['BILLPAY_TEST_BETTER_SQLITE3'];
  const better = compiled === undefined ? undefined : createRequire(import.meta.url)(compiled);
  return [
    ['node-sqlite3-wasm', openSqlite],
    ...(builtin ? [['node:sqlite', (path: string) => new builtin.DatabaseSync(path)] as const] : []),
    ...(better ? [['better-sqlite3', (path: string) => better(path)] as const] : []),
  ];
}

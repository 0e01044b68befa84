/** What the examples use of a module that the types of Node 20 do not have. */
declare module 'node:sqlite' {
  import type { SqliteOrderDatabase } from 'billpay/orders';

  export const DatabaseSync: new (path: string) => SqliteOrderDatabase;
}

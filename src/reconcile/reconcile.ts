import { CommandError, exitCodes } from '../cli/program.js';
import { BillPay, ConfigurationError, isBillPayError } from '../index.js';
import {
  createOrders,
  type ReconcileOptions,
  type ReconcileReport,
  type StatementColumns,
} from '../orders/index.js';
import type { OrderStore } from '../orders/store.js';
import { readProperty } from '../utils/read-property.js';
import { databaseError } from './database.js';
import { readStatementFile } from './statement-file.js';

/** What to compare. */
export interface ShopReconciliation extends Omit<ReconcileOptions, 'statement' | 'apply'> {
  readonly statement:
    | {
        readonly file: string;
        readonly columns: StatementColumns;
        readonly openingBalance: number | undefined;
        readonly closingBalance: number | undefined;
      }
    | undefined;
}

/** Compares the orders of a store with the service. Nothing is changed: the hooks of the shop are not here. */
export async function reconcileShop(
  store: OrderStore<unknown>,
  env: Readonly<Record<string, string | undefined>>,
  { statement, ...options }: ShopReconciliation,
): Promise<ReconcileReport> {
  const billpay = new BillPay({
    apiKey: env['BILLPAY_API_KEY'],
    clientId: env['BILLPAY_CLIENT_ID'],
    baseUrl: env['BILLPAY_BASE_URL'],
    // Everything that goes wrong is in the report, or ends the command.
    logLevel: 'off',
  });
  if (options.lookUp !== 'none') billpay.checkConfiguration();
  const evidence = statement && {
    rows: readStatementFile(statement.file, statement.columns),
    openingBalance: statement.openingBalance,
    closingBalance: statement.closingBalance,
  };
  const orders = createOrders({ billpay, store });
  try {
    return await orders.reconcile({ ...options, statement: evidence });
  } catch (error) {
    // The checkpoint could not be written, or an option is wrong.
    if (error instanceof ConfigurationError || readProperty(error, 'path') !== undefined) throw error;
    throw isBillPayError(error) ? new CommandError(exitCodes.failed, error.message) : databaseError(error);
  }
}

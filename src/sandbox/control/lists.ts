import type { SandboxDelivery } from '../deliveries/delivery.js';
import type { SandboxRequest } from '../records/request-log.js';
import type { SandboxTransaction } from '../rules/transactions.js';
import type { Sandbox } from '../types.js';
import { hasStatus, hasValues, isOfProduct } from './filter.js';
import { searchableTransaction, searchFor } from './search.js';
import { fieldOf } from './views.js';

/** Which items the query of a list asks for: lists and exports select alike. */

type Query = {
  readonly [Name in
    | 'q'
    | 'state'
    | 'client'
    | 'product'
    | 'reference'
    | 'failing'
    | 'operation'
    | 'status'
    | 'warnings']?: string | undefined;
};

export function transactionFilter(query: Query): (transaction: SandboxTransaction) => boolean {
  const isFound = searchFor(query.q);
  return (one) =>
    hasValues(query, { state: one.status, client: one.clientId, product: one.product }) &&
    isFound(searchableTransaction(one));
}

export function deliveryFilter(sandbox: Sandbox, query: Query): (delivery: SandboxDelivery) => boolean {
  const isFound = searchFor(query.q);
  return (one) => {
    const transaction = sandbox.transaction(one.reference);
    const { texts = [], ...rest } = transaction ? searchableTransaction(transaction) : {};
    return (
      hasValues(query, {
        state: one.state,
        client: one.clientId,
        reference: one.reference,
        product: transaction?.product,
      }) &&
      (query.failing === undefined || one.attempts.at(-1)?.delivered === false) &&
      isFound({ texts: [one.id, one.reference, one.event, ...texts], ...rest })
    );
  };
}

export function requestFilter(query: Query): (request: SandboxRequest) => boolean {
  const isFound = searchFor(query.q);
  return ({ clientId: client, operation, reference, path, idempotency_key, body, response, warnings }) => {
    const [recipient, amount] = [fieldOf(body, 'recipient'), fieldOf(body, 'amount')];
    return (
      hasValues(query, { client, operation, reference }) &&
      isOfProduct(query.product, operation) &&
      hasStatus(query.status, response?.status) &&
      (query.warnings === undefined || warnings.length > 0) &&
      (query.q === undefined ||
        isFound({
          texts: [path, operation, idempotency_key, reference, JSON.stringify(body)],
          recipient: typeof recipient === 'string' ? recipient : undefined,
          amount: typeof amount === 'number' ? amount : undefined,
        }))
    );
  };
}

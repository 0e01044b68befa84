import { hasCatalogue, unknownBiller } from './catalogue.js';
import type { Client } from './clients.js';
import type { Route } from './request.js';
import type { TriggerEffect, WorkResult } from './responses.js';
import { failure, success } from './responses.js';
import type { ServiceState } from './service-state.js';
import { statusView } from './transactions.js';

/** Catalogues, validate calls and status checks. */
export function read(
  state: ServiceState,
  client: Client,
  { operation }: Route,
  params: Readonly<Record<string, unknown>>,
  effect: TriggerEffect | undefined,
): WorkResult {
  const { product } = operation;
  if (product === undefined) return status(state, client, String(params['reference']));
  const biller = String(params['biller']);
  if (!state.catalogue.serves(product, biller)) return { response: unknownBiller(biller) };
  if (operation.method === 'GET' && hasCatalogue(product)) {
    const products = state.catalogue.products(product, biller);
    return { response: success(200, { status: 'success', biller: biller.toUpperCase(), products }) };
  }
  if (effect === 'validation cannot confirm') {
    return { response: failure(422, 'VERIFICATION_FAILED', 'The recipient could not be confirmed.') };
  }
  const recipient = String(params['recipient']);
  return {
    response: success(200, {
      status: 'success',
      customer_name: state.ids.customerName(recipient),
      ...(product === 'electricity' ? { address: state.ids.address(recipient) } : {}),
    }),
  };
}

/** Another client's reference gets the same 404 as an unknown one. */
function status(state: ServiceState, client: Client, reference: string): WorkResult {
  const transaction = state.transactions.get(reference);
  if (!transaction || transaction.clientId !== client.clientId) {
    return { response: failure(404, 'NOT_FOUND', 'There is no transaction with this reference.') };
  }
  return { response: success(200, statusView(transaction)), transaction };
}

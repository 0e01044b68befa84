import type { Order, OrderError } from '../orders/order.js';

/** Why a call ended before all items were bought. */
export interface BulkStop {
  /**
   * - `wallet`: the wallet does not cover a purchase (402).
   * - `access`: the key, the client_id or the account was refused (401, 403).
   * - `configuration`: an option of the client is wrong or missing.
   * - `endpoint`: every attempt of this call ended in a 404 or 405, so the base address is probably wrong.
   * - `stopWhen`: `stopWhen` returned true.
   * - `signal`: the signal was aborted.
   */
  readonly reason: 'wallet' | 'access' | 'configuration' | 'endpoint' | 'stopWhen' | 'signal';
  /** The error that every other item would meet as well. */
  readonly error?: OrderError | undefined;
}

/** Whether an attempt found nothing at the address of the purchase. */
export const missedEndpoint = ({ lastError }: Pick<Order, 'lastError'>): boolean =>
  lastError?.status === 404 || lastError?.status === 405;

/**
 * Why a run stops after an attempt that was not accepted; undefined where it continues.
 *
 * @param allMissed - whether every attempt of the call so far, this one included, found nothing at the address. Once one has found
 * something, a 404 is about that item's product.
 */
export function stopReason(
  { lastError: error }: Pick<Order, 'lastError'>,
  allMissed: boolean,
): BulkStop | undefined {
  if (error?.name === 'ConfigurationError') return { reason: 'configuration', error };
  switch (error?.status) {
    case 402:
      return { reason: 'wallet', error };
    case 401:
    case 403:
      return { reason: 'access', error };
    case 404:
    case 405:
      return allMissed ? { reason: 'endpoint', error } : undefined;
    default:
      return undefined;
  }
}

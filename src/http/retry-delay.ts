import { nameOfThrown } from '../utils/is-error.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';

/** What the caller's `retryDelay` gives; undefined where there is none, or where it fails or gives something else than ms. */
export function customDelayMs(config: ClientConfig, attempt: number): number | undefined {
  if (!config.retryDelay) return undefined;
  const logger = clientLogger(config);
  try {
    const ms: unknown = config.retryDelay(attempt);
    if (typeof ms === 'number' && ms >= 0) return ms;
    logger.error('billpay retryDelay did not return a number of ms; the built-in backoff is used', {});
  } catch (error) {
    const name = config.redactor.text(nameOfThrown(error));
    logger.error(`billpay retryDelay threw (${name}); the built-in backoff is used`, {});
  }
  return undefined;
}

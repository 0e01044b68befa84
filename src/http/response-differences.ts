import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';
import { shownValue } from './error-messages.js';
import type { Interpretation } from './interpretation.js';
import type { PreparedCall } from './prepared-call.js';

/** More warnings than this are forgotten and given again: no service that works differs in so many ways. */
const maxRemembered = 1000;

/** Whether a warning was not given before. A service that changed a field would otherwise fill the log with one line a call. */
export function isFirst(message: string, given: Set<string>): boolean {
  if (given.has(message)) return false;
  if (given.size >= maxRemembered) given.clear();
  given.add(message);
  return true;
}

/** Logs in what a usable response differs from the documents or from what was asked. */
export function reportDifferences(
  { operation, idempotencyKey }: Pick<PreparedCall<unknown>, 'operation' | 'idempotencyKey'>,
  config: ClientConfig,
  { deviations, tolerated }: Extract<Interpretation<unknown>, { ok: true }>,
): void {
  const logger = clientLogger(config);
  if (deviations.length > 0) {
    const message = `billpay ${operation}: the response differs from what is documented in ${deviations.join(', ')}`;
    logger[isFirst(message, config.warnings) ? 'warn' : 'debug'](message, { operation, fields: deviations });
  }
  if (tolerated.length > 0) {
    const shown = tolerated.map(({ field, asked, echoed }) => ({
      field,
      asked: shownValue(field, asked, config.redactor),
      echoed: shownValue(field, echoed, config.redactor),
    }));
    const list = shown.map(({ field, asked, echoed }) => `${field} ${echoed} for ${asked}`);
    logger.info(
      `billpay ${operation}: the response has ${list.join(' and ')}, which is accepted as the same sale`,
      { operation, idempotencyKey, differences: shown },
    );
  }
}

import { billersOf, isUnlistedBiller } from '../contract/billers.js';
import type { Product } from '../contract/vocabulary.js';
import type { ClientConfig } from './client-config.js';
import { clientLogger } from './client-logger.js';
import { mask } from './mask.js';
import { isFirst } from './response-differences.js';

/** Blanks, brackets, dots, dashes, slashes, and the invisible marks that are copied along with a number. */
const separators = /[\s()[\].,/_\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060\ufeff-]/;

/**
 * Warns of a recipient that was probably pasted with its formatting. It is neither refused nor changed, because the formats of
 * recipients are for the service to judge.
 */
export function warnOfSeparators(config: ClientConfig, operation: string, recipient: string): void {
  if (!separators.test(recipient)) return;
  clientLogger(config).warn(
    `billpay ${operation}: the recipient contains blanks or separators; it is sent unchanged, and the service may refuse it`,
    { operation, recipient: mask(recipient) },
  );
}

/**
 * Warns, once for each client and name, of a biller that no list of the service names: it may be new, or misspelt. It is sent unchanged,
 * because the service decides.
 */
export function warnOfUnlistedBiller(
  config: ClientConfig,
  operation: string,
  product: Product,
  biller: string,
): void {
  if (!isUnlistedBiller(biller)) return;
  const message = `billpay ${operation}: the biller ${config.redactor.text(biller, 100)} is not documented, and is sent unchanged: ${billersOf(product)}`;
  if (!isFirst(message, config.warnings)) return;
  clientLogger(config).warn(message, { operation });
}

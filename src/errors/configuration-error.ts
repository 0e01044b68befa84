import { BillPayError, brand } from './base.js';

/** An option is missing or wrong. The message names it, says what is wrong and what to do. */
export class ConfigurationError extends BillPayError {
  static override readonly [brand]: string = 'ConfigurationError';
  declare readonly name: 'ConfigurationError';
  declare readonly code: 'CONFIGURATION';
  /** The option's name, such as `baseUrl`. */
  readonly option: string;

  constructor(option: string, message: string) {
    super(`${option}: ${message}`, { code: 'CONFIGURATION' });
    this.option = option;
  }
}

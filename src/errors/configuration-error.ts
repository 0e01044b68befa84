import { errorClass } from './base.js';

/** An option is missing or wrong. The message names it, says what is wrong and what to do. */
export class ConfigurationError extends errorClass('ConfigurationError', 'CONFIGURATION') {
  /** The option's name, such as `baseUrl`; where several are missing, the first of those that the message names. */
  readonly option: string;

  constructor(option: string | readonly [string, ...string[]], message: string) {
    const names = typeof option === 'string' ? ([option] as const) : option;
    super(`${names.join(', ')}: ${message}`);
    this.option = names[0];
  }
}

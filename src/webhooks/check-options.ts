import { ConfigurationError } from '../errors/configuration.js';

/** Refuses a misspelt option: `tolerence` must not leave the tolerance wide open without a word. */
export function refuseUnknownOptions(options: unknown, known: readonly string[], owner: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', `must be an object: ${owner}({ ${known.join(', ')} })`);
  }
  for (const name in options) {
    if (!known.includes(name)) {
      throw new ConfigurationError(name, `is not an option of ${owner}; it takes ${known.join(', ')}`);
    }
  }
}

import { hasCode } from './has-code.js';

/** How often work is tried that a database asks to be repeated. */
const maxTries = 10;

/** Repeats work that a database rejected with one of these codes, which say that nothing of it was stored and that it may succeed now. */
export async function repeatOn<T>(codes: readonly string[], work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !hasCode(error, ...codes)) throw error;
    }
  }
}

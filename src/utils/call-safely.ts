import { readProperty } from './read-property.js';

/** Calls a callback of the caller. What it throws, and what its promise rejects with, does not reach the code that calls this. */
export function callSafely(callback: () => unknown, failed: (error: unknown) => void = () => {}): void {
  try {
    const end = callback();
    // Also a promise of another realm, as of a test runner, or of a library.
    if (typeof readProperty(end, 'then') === 'function') Promise.resolve(end).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Calls a callback of the caller. What it throws, and what its promise rejects with, does not reach the code that calls this. */
export function callSafely(callback: () => unknown, failed: (error: unknown) => void = () => {}): void {
  try {
    const end = callback();
    if (end instanceof Promise) end.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Calls what a caller gave; nothing that it throws, at once or as a promise later, reaches the call. */
export function callSafely(callback: () => unknown, failed: (error: unknown) => void = () => {}): void {
  try {
    const end = callback();
    if (end instanceof Promise) end.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Waits for a promise, but no longer than `ms`: then it rejects with an error of this message and the code `ETIMEDOUT`, whatever becomes of the promise. */
export async function atMost<T>(ms: number, promise: PromiseLike<T>, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' })), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

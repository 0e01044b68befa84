/** How the heap moves with the number of calls, in bytes a call, and by how much that may be off. */
export interface Slope {
  readonly bytes: number;
  /** The standard error: what the samples' scatter alone makes of a heap that does not move. */
  readonly error: number;
}

/** The line of least squares through all samples. */
export function bytesPerCall(samples: readonly { readonly calls: number; readonly heap: number }[]): Slope {
  const sum = (pick: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((total, sample) => total + pick(sample), 0);
  const meanCalls = sum(({ calls }) => calls) / samples.length;
  const meanHeap = sum(({ heap }) => heap) / samples.length;
  const spread = sum(({ calls }) => (calls - meanCalls) ** 2);
  const bytes = sum(({ calls, heap }) => (calls - meanCalls) * (heap - meanHeap)) / spread;
  const scatter = sum(({ calls, heap }) => (heap - meanHeap - bytes * (calls - meanCalls)) ** 2);
  return { bytes, error: Math.sqrt(scatter / (samples.length - 2) / spread) };
}

/** The growth of the heap in bytes a call, with its standard error. */
export interface Slope {
  readonly bytes: number;
  /** The standard error: the slope that the scatter of the samples alone would give. */
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

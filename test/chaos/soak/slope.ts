/** How the heap moves with the number of calls, in bytes a call: the line of least squares through all samples. */
export function bytesPerCall(samples: readonly { readonly calls: number; readonly heap: number }[]): number {
  const mean = (pick: (sample: (typeof samples)[number]) => number) =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const meanCalls = mean(({ calls }) => calls);
  const meanHeap = mean(({ heap }) => heap);
  const covariance = mean(({ calls, heap }) => (calls - meanCalls) * (heap - meanHeap));
  return covariance / mean(({ calls }) => (calls - meanCalls) ** 2);
}

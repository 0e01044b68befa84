/** What one run of the suite meets. */
export interface Surroundings {
  readonly zone: string;
  readonly moment: 'now' | 'midnight' | "month's end";
  /** Processes that keep a processor busy. */
  readonly load: number;
  /** How long before the moment the run starts, so that another test meets it each time, in ms. */
  readonly before: number;
}

const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Lagos'];
const moments = ['midnight', "month's end", 'now'] as const;

/** The surroundings of each run: every zone meets every moment within twelve runs, half of them under load. */
export function planRuns(runs: number): readonly Surroundings[] {
  return Array.from({ length: runs }, (_, run) => ({
    zone: zones[run % zones.length] ?? 'UTC',
    moment: moments[run % moments.length] ?? 'now',
    load: run % 2 === 0 ? 2 : 0,
    before: 15_000 + (run % 7) * 25_000,
  }));
}

/** How far the clock has to be set ahead so that the moment comes `before` ms from `now`, in the zone of this process. */
export function clockShift({ moment, before }: Surroundings, now: Date): number {
  if (moment === 'now') return 0;
  const end =
    moment === 'midnight'
      ? new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
      : new Date(now.getFullYear(), now.getMonth() + 1, 1);
  return end.getTime() - before - now.getTime();
}

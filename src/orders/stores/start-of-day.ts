/** When the day of a time began in a time zone, in ms since the epoch. */
export function startOfDay(at: number, timeZone = 'UTC'): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  /** The local time as if it were UTC. */
  const localOf = (time: number): number => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  };
  const midnight = new Date(localOf(at)).setUTCHours(0, 0, 0, 0);
  const offsetAt = (time: number): number => localOf(time) - Math.floor(time / 1000) * 1000;
  // The offset at midnight may differ from that of now, where the clock was changed in between.
  return midnight - offsetAt(midnight - offsetAt(at));
}

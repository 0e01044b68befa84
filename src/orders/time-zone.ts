/** Local times of a time zone. They are held in ms as if they were UTC. */
export interface TimeZone {
  /** The local time at a moment, to the second. */
  localOf(at: number): number;
  /** The moment of a local time. */
  momentOf(local: number): number;
}

/** The rules of a time zone, such as `Africa/Lagos`. */
export function timeZoneOf(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const localOf = (at: number): number => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
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
  const offsetAt = (at: number): number => localOf(at) - Math.floor(at / 1000) * 1000;
  return {
    localOf,
    // Asked twice: the offset at that moment may differ from the one at the first guess, where the clock is changed in between.
    momentOf: (local) => local - offsetAt(local - offsetAt(local)),
  };
}

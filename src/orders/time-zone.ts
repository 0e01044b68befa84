/** Local times of a time zone. They are held in ms as if they were UTC. */
export interface TimeZone {
  /** The local time at a moment, to the second. */
  localOf(at: number): number;
  /** The moment of a local time. */
  momentOf(local: number): number;
}

/** Whether a value is the name of a time zone, such as `Africa/Lagos`. */
export function isTimeZone(value: unknown): boolean {
  try {
    return typeof value === 'string' && new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
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

const localTime = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?$/;

/**
 * The moment that a text names: ISO 8601, or `YYYY-MM-DD`, also with a time, as a local time of the zone. Invalid for a text that is no
 * such time.
 */
export function readMoment(text: string, { momentOf }: Pick<TimeZone, 'momentOf'>): Date {
  const [, day, minutes = '00:00', seconds = ':00'] = localTime.exec(text) ?? [];
  if (day !== undefined) {
    const local = new Date(`${day}T${minutes}${seconds}Z`);
    // Some engines read February 30 as a day of March.
    const isDay = !Number.isNaN(local.getTime()) && local.toISOString().startsWith(day);
    return new Date(isDay ? momentOf(local.getTime()) : Number.NaN);
  }
  const hasZone = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return new Date(hasZone ? text : Number.NaN);
}

/** When the day of a time began in a time zone, in ms since the epoch. */
export function startOfDay(at: number, timeZone = 'UTC'): number {
  const { localOf, momentOf } = timeZoneOf(timeZone);
  return momentOf(new Date(localOf(at)).setUTCHours(0, 0, 0, 0));
}

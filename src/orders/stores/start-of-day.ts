import { timeZoneOf } from '../time-zone.js';

/** When the day of a time began in a time zone, in ms since the epoch. */
export function startOfDay(at: number, timeZone = 'UTC'): number {
  const zone = timeZoneOf(timeZone);
  return zone.momentOf(new Date(zone.localOf(at)).setUTCHours(0, 0, 0, 0));
}

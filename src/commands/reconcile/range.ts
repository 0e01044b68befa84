import { readMoment, timeZoneOf } from '../../orders/time-zone.js';
import { CommandError } from '../frame.js';

const dayMs = 86_400_000;

/** The range of `--from` and `--to`; without both, the whole of yesterday in the time zone. */
export function rangeOf(
  given: { readonly from?: string; readonly to?: string },
  timeZone: string,
  now: number,
): { readonly from: Date; readonly to: Date } {
  const zone = timeZoneOf(timeZone);
  const read = (name: 'from' | 'to', text: string): Date => {
    const moment = readMoment(text, zone);
    if (!Number.isNaN(moment.getTime())) return moment;
    throw new CommandError(
      `--${name} must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00, not ${text}`,
    );
  };
  const { from, to } = given;
  if (from !== undefined && to !== undefined) return { from: read('from', from), to: read('to', to) };
  if (from !== undefined || to !== undefined)
    throw new CommandError('--from and --to go together: give both, or none for yesterday');
  const today = new Date(zone.localOf(now)).setUTCHours(0, 0, 0, 0);
  return { from: new Date(zone.momentOf(today - dayMs)), to: new Date(zone.momentOf(today)) };
}

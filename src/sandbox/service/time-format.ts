let latest = { second: Number.NaN, text: '' };

/** `YYYY-MM-DD HH:MM:SS`, the service's format without a zone. The sandbox writes UTC. Each transaction keeps it: one text a second. */
export function wireTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) latest = { second, text: isoTime(ms).slice(0, 19).replace('T', ' ') };
  return latest.text;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the format of webhooks. */
export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The webhook format of a time in the service's format. */
export const wireToIso = (time: string): string => `${time.replace(' ', 'T')}Z`;

/** `YYYY-MM-DD HH:MM:SS`, the service's format without a zone. The sandbox writes UTC. */
export function wireTime(ms: number): string {
  const time = new Date(ms).toISOString();
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the format of webhooks. */
export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The webhook format of a time in the service's format. */
export const wireToIso = (time: string): string => `${time.replace(' ', 'T')}Z`;

/**
 * The longest pause that one response may ask for, in ms: 10 minutes. A `Retry-After` in the year 9999 is a mistake of whoever wrote it, and
 * must not stop a process for good. If the service still refuses after that, it says so again.
 */
export const longestPauseMs = 600_000;

/** A pause as it is carried out: at least 0 and at most `longestPauseMs`. */
export const limitPauseMs = (ms: number): number =>
  Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), longestPauseMs);

/**
 * Pauses a pacer for as long as a response asked, and for 10 minutes at most.
 *
 * @param warn - called with a text for the log when the response asked for more.
 */
export function pauseAsAsked(
  pacer: { pause(ms: number): void },
  askedMs: number,
  warn: (message: string) => void,
): void {
  const ms = limitPauseMs(askedMs);
  if (askedMs > ms) {
    const seconds = Number.isFinite(askedMs) ? `${Math.round(askedMs / 1000)} s` : 'an endless time';
    warn(`a 429 response asked for a pause of ${seconds}; the pacer pauses for ${ms / 1000} s, its maximum`);
  }
  pacer.pause(ms);
}

/** How a check ended. Only `failed` makes the command fail. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Outcome {
  readonly status: FindingStatus;
  /** What was found, in one line. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export interface Finding extends Outcome {
  /** The name of the check, such as `base-url`. */
  readonly check: string;
}

export const ok = (message: string): Outcome => ({ status: 'ok', message });
export const skipped = (message: string, remedy?: string): Outcome => ({
  status: 'skipped',
  message,
  ...(remedy !== undefined && { remedy }),
});
export const warning = (message: string, remedy: string): Outcome => ({ status: 'warning', message, remedy });
export const failed = (message: string, remedy: string): Outcome => ({ status: 'failed', message, remedy });

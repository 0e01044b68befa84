/** How a check ended. Only `failed` makes the command fail. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** What one check found. */
export interface Finding {
  /** The name of the check, such as `base-url`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found, in one line. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

type Findings = {
  readonly ok: (message: string) => Finding;
  readonly skipped: (message: string, remedy?: string) => Finding;
  readonly warning: (message: string, remedy: string) => Finding;
  readonly failed: (message: string, remedy: string) => Finding;
};

/** Makes the findings of one check. */
export const findingsOf = (check: string): Findings => ({
  ok: (message) => ({ check, status: 'ok', message }),
  skipped: (message, remedy) => ({
    check,
    status: 'skipped',
    message,
    ...(remedy !== undefined && { remedy }),
  }),
  warning: (message, remedy) => ({ check, status: 'warning', message, remedy }),
  failed: (message, remedy) => ({ check, status: 'failed', message, remedy }),
});

/** The six questions that `billpay doctor` answers. */
export type Check = 'node' | 'credentials' | 'service' | 'clock' | 'webhook' | 'store';

/** What was found. */
export interface Answer {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What is so and, unless all is well, what to do about it. */
  readonly message: string;
}

export interface Finding extends Answer {
  readonly check: Check;
}

const answer =
  (status: Answer['status']) =>
  (message: string): Answer => ({ status, message });

export const ok = answer('ok');
/** Something that a person should look at, although a purchase may work. */
export const warning = answer('warning');
/** A purchase, or what follows from it, cannot work. */
export const failed = answer('failed');
/** It was not looked at, because nothing was given to look at. */
export const skipped = answer('skipped');

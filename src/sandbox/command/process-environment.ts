/** Where the command writes to. */
export interface Output {
  readonly isTTY?: boolean;
  /** Whether it shows colours; it knows of NO_COLOR. */
  hasColors?(): boolean;
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** What the command needs of its process. */
export interface ProcessEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Pick<Output, 'write'>;
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** Resolves when the process is asked to end, or nobody reads its output any more: `billpay-sandbox | head`. */
export const untilEnded = (around: ProcessEnvironment): Promise<void> =>
  new Promise((resolve) => {
    around.once('SIGINT', resolve);
    around.once('SIGTERM', resolve);
    around.stdout.on('error', resolve);
  });

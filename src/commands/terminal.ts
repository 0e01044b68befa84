import { styleText } from 'node:util';
import { Help } from 'commander';

/** A stream of the process, which may be a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command needs of its process. A test passes one of its own. */
export interface CommandProcess {
  readonly env: Record<string, string | undefined>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly versions: { readonly node: string };
  /** What the action of a command resolves to. */
  exitCode?: number | string | null | undefined;
  cwd(): string;
  on(event: NodeJS.Signals, listener: () => void): unknown;
  once(event: NodeJS.Signals, listener: () => void): unknown;
}

/** Highlights a text; returns it unchanged where the stream shows no colours, as Node decides it (NO_COLOR and FORCE_COLOR included). */
export type Paint = (format: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', text: string) => string;

export const paintFor =
  (stream: Output): Paint =>
  (format, text) =>
    styleText(format, text, { stream });

/** The width for which is printed: that of the terminal, and 80 columns elsewhere. */
export const widthOf = ({ isTTY, columns }: Output): number => (isTTY && columns) || 80;

/** Columns below which a text is printed as it is: it would be a heap of single words. */
export const narrowest = 20;

const help = Object.assign(new Help(), { minWidthToWrap: narrowest });

/** A text in lines of at most so many columns. */
export const wrapped = (text: string, width: number): string[] => help.boxWrap(text, width).split('\n');

/** One line that is written over and over, on a terminal only. Without a text it is removed. */
export function showProgress(stdout: Output, text = ''): void {
  if (stdout.isTTY) stdout.write(`\r\u001b[K${text}`);
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts when the process is asked to end. Asked again, as npx does on Ctrl-C, it continues to clean up. */
export function endSignal(process: Pick<CommandProcess, 'on'>): AbortSignal {
  const ended = new AbortController();
  for (const signal of endings) process.on(signal, () => ended.abort());
  return ended.signal;
}

/** Resolves when the process is asked to end, or nobody reads its output any more: `billpay sandbox | head`. */
export const untilEnded = (process: Pick<CommandProcess, 'once' | 'stdout'>): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of endings) process.once(signal, resolve);
    process.stdout.once('error', () => resolve());
  });

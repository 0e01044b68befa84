import { styleText } from 'node:util';

export interface Output {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** What a command needs of its process. */
export interface CommandProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Pick<Output, 'write'>;
  readonly versions: { readonly node: string };
  cwd(): string;
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** Highlights a text; returns it unchanged where there are no colours. */
export type Paint = (format: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold', text: string) => string;

export const colours: Paint = (format, text) => styleText(format, text, { validateStream: false });
export const plain: Paint = (_, text) => text;

/** Colours on a terminal that shows them. `FORCE_COLOR` and `NO_COLOR` win, in this order. */
export function paintFor({ stdout, env }: Pick<CommandProcess, 'stdout' | 'env'>): Paint {
  const { FORCE_COLOR: forced, NO_COLOR: none } = env;
  if (forced !== undefined) return /^(?:0|false)$/.test(forced) ? plain : colours;
  if (none) return plain;
  return stdout.isTTY && stdout.hasColors?.() ? colours : plain;
}

/** One line that is written over and over, on a terminal only. Without a text it is removed. */
export function showProgress(stdout: Output, text = ''): void {
  if (stdout.isTTY) stdout.write(`\r\u001b[K${text}`);
}

/** Drops what is left to print when nobody reads any more (`billpay --help | head -3`), in place of an error that ends the process. */
export const dropUnread = ({ stdout }: Pick<CommandProcess, 'stdout'>): void => {
  stdout.on('error', () => {});
};

/** Aborts when the process is asked to end. */
export function endSignal(around: CommandProcess): AbortSignal {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) around.once(signal, () => ended.abort());
  return ended.signal;
}

/** Resolves when the process is asked to end, or nobody reads its output any more: `billpay sandbox | head`. */
export const untilEnded = (around: CommandProcess): Promise<void> =>
  new Promise((resolve) => {
    around.once('SIGINT', resolve);
    around.once('SIGTERM', resolve);
    around.stdout.on('error', resolve);
  });

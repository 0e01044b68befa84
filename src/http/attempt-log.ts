import type { AttemptRecord, Logger, LogLevel } from '../options.js';
import { callSafely } from '../utils/call-safely.js';

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

/** A caller's identifier with its middle hidden: `0803****567`. */
export function mask(recipient: string): string {
  return recipient.length < 8
    ? '*'.repeat(recipient.length)
    : `${recipient.slice(0, 4)}${'*'.repeat(recipient.length - 7)}${recipient.slice(-3)}`;
}

/** Whether what is told at `name` comes through where a logger hears from `level` on. */
export const isLogged = (name: LogLevel, level: LogLevel): boolean =>
  order.indexOf(name) >= order.indexOf(level);

/** A logger that is quiet below `level` and never throws. */
export function leveledLogger(logger: Logger, level: LogLevel): Logger {
  const at = (name: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields: object) => {
    if (isLogged(name, level)) callSafely(() => logger[name](message, fields));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** One readable line for an attempt. */
export function attemptLine(record: AttemptRecord): string {
  const { operation, attempt, method, path, status, code, durationMs, willRetry, retryInMs, error } = record;
  const end = [status, code, error].filter((part) => part !== undefined).join(' ');
  const next = willRetry ? `, again in ${retryInMs} ms` : '';
  return `billpay ${operation} attempt ${attempt}: ${method} ${path} -> ${end} in ${Math.round(durationMs)} ms${next}`;
}

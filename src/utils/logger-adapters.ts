import type { Logger } from './logger.js';
import { readProperty } from './read-property.js';

/** A logger that takes the fields first and the message second: pino, bunyan, and `request.log` of Fastify. */
export interface PinoLike {
  /** Attempts that succeeded. */
  debug(fields: object, message: string): void;
  /** Attempts that failed. */
  info(fields: object, message: string): void;
  /** Responses that differ from what is documented, and input that looks wrong. */
  warn(fields: object, message: string): void;
  /** Callbacks of yours that threw. */
  error(fields: object, message: string): void;
}

/** What is needed of a winston logger. */
export interface WinstonLike {
  /** Writes a line at a level. */
  log(level: string, message: string, fields: object): unknown;
  /** The names of its levels: `npm`, `cli` and `syslog` levels are known. */
  readonly levels?: Readonly<Record<string, number>> | undefined;
}

/**
 * Adapts a logger that takes `(fields, message)`, such as pino or bunyan. A pino instance is recognised without this.
 *
 * @example
 * ```ts
 * import pino from 'pino';
 * import { BillPay, pinoLogger } from 'billpay';
 *
 * const billpay = new BillPay({ logger: pinoLogger(pino()) });
 * ```
 */
export function pinoLogger(logger: PinoLike): Logger {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

/**
 * Adapts a winston logger, whichever names its levels have: with `syslog` levels, warnings are written at `warning`.
 *
 * @example
 * ```ts
 * import winston from 'winston';
 * import { BillPay, winstonLogger } from 'billpay';
 *
 * const logger = winston.createLogger({ transports: [new winston.transports.Console()] });
 * const billpay = new BillPay({ logger: winstonLogger(logger) });
 * ```
 */
export function winstonLogger(logger: WinstonLike): Logger {
  const write =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void logger.log(level, message, fields);
  const { levels = {} } = logger;
  const warn = !('warn' in levels) && 'warning' in levels ? 'warning' : 'warn';
  return { debug: write('debug'), info: write('info'), warn: write(warn), error: write('error') };
}

/** Whether a logger is pino's, or a child of one: nothing else has both these functions and numbers for its levels. */
const isPino = (logger: unknown): logger is PinoLike =>
  typeof readProperty(logger, 'bindings') === 'function' &&
  typeof readProperty(logger, 'isLevelEnabled') === 'function' &&
  typeof readProperty(readProperty(logger, 'levels'), 'values') === 'object';

/** The logger as one that takes `(message, fields)`. */
export const adaptedLogger = <L extends Partial<Logger>>(logger: L | PinoLike): L | Logger =>
  isPino(logger) ? pinoLogger(logger) : logger;

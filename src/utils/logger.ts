import { callSafely } from './functions.js';
import { readProperty } from './unknown.js';

/** The least important lines that a client writes; `off` for none. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Receives log lines, as `console` does: a message, then its fields where there are any. */
export interface Logger {
  /** Attempts that succeeded. */
  debug(message: string, fields?: object): void;
  /** Attempts that failed, whether or not they are repeated. */
  info(message: string, fields?: object): void;
  /** Responses that differ from what is documented, and input that looks wrong. */
  warn(message: string, fields?: object): void;
  /** Callbacks and pacers of yours that failed. */
  error(message: string, fields?: object): void;
}

/** The functions of a logger, the least important first. */
export const loggerMethods = ['debug', 'info', 'warn', 'error'] as const satisfies readonly (keyof Logger)[];

/** Every log level, the most talkative first. */
export const logLevels: readonly LogLevel[] = [...loggerMethods, 'off'];

/** Whether lines of `method` are written at this level. */
export const isLogged = (method: LogLevel, level: LogLevel): boolean =>
  logLevels.indexOf(method) >= logLevels.indexOf(level);

/**
 * A logger that drops lines below `level` and never throws. Fields that are undefined are left out, and a line without fields has no object.
 *
 * @param clean - takes secrets out of the message and of the fields that are texts.
 */
export function leveledLogger(
  logger: Logger,
  level: LogLevel,
  clean: (text: string) => string = (text) => text,
): Logger {
  const at =
    (method: keyof Logger) =>
    (message: string, given: object = {}) => {
      if (!isLogged(method, level)) return;
      const fields = Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === 'string' ? clean(value) : value]],
      );
      const rest = fields.length === 0 ? [] : [Object.fromEntries(fields)];
      callSafely(() => logger[method](clean(message), ...rest));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const loggerKey = Symbol.for('billpay.logger');

/** Lets other parts of this package write into the log of a client. */
export const shareLogger = (owner: object, logger: Logger): void =>
  void Object.defineProperty(owner, loggerKey, { value: logger, enumerable: false });

/** The logger of a client, also of another copy of this package; undefined for any other object. */
export const loggerOf = (owner: object): Logger | undefined =>
  Reflect.get(owner, loggerKey) as Logger | undefined;

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

import { callSafely } from './call-safely.js';

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

import { describe, expect, it, vi } from 'vitest';
import { adaptedLogger, type Logger, leveledLogger, winstonLogger } from '../../src/utils/logger.js';

describe('leveledLogger', () => {
  it('keeps what the logger throws to itself, and its `this`', () => {
    const logger = {
      debug: vi.fn(function (this: unknown) {
        expect(this).toBe(logger);
        throw new Error('disk full');
      }),
      info: vi.fn(),
      warn: vi.fn(),
      error: vi.fn(),
    };
    expect(() => leveledLogger(logger, 'debug').debug('hello', {})).not.toThrow();
    expect(logger.debug).toHaveBeenCalledOnce();
  });
});

describe('what a logger writes', () => {
  it('is cleaned first, and only when it is written', () => {
    const lines: unknown[][] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    const cleaned: unknown[] = [];
    const clean = (text: string) => {
      cleaned.push(text);
      return text === 'secret' ? 'clean' : text;
    };
    const logger = leveledLogger({ debug: note, info: note, warn: note, error: note }, 'warn', clean);
    logger.info('secret', {});
    expect(cleaned).toEqual([]);
    const at = new Date();
    logger.warn('secret', { a: 1, b: 'secret', at, none: undefined });
    expect(lines).toEqual([['clean', { a: 1, b: 'clean', at }]]);
    expect(Object.keys(Object(lines[0]?.[1]))).not.toContain('none');
    expect(cleaned).toEqual(['secret', 'secret']);
    logger.warn('no fields', { none: undefined });
    expect(lines[1]).toEqual(['no fields']);
  });
});

const methods = ['debug', 'info', 'warn', 'error'] as const;

/** A logger that keeps each call. */
function recorder() {
  const calls: unknown[][] = [];
  const at =
    (method: string) =>
    (...given: unknown[]) =>
      void calls.push([method, ...given]);
  return { calls, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const callAll = (logger: Logger) => {
  for (const method of methods) logger[method]('hello', { a: 1 });
};

const inOrder = methods.map((method) => [method, 'hello', { a: 1 }]);

describe('winstonLogger', () => {
  it.each<[string, Record<string, number> | undefined, string]>([
    ['no levels', undefined, 'warn'],
    ['levels of npm', { error: 0, warn: 1, info: 2 }, 'warn'],
    ['levels of syslog', { error: 3, warning: 4, info: 6 }, 'warning'],
    ['both names', { error: 3, warn: 4, warning: 4 }, 'warn'],
    ['neither name', { error: 3 }, 'warn'],
  ])('with %s', (_, levels, warn) => {
    const calls: unknown[][] = [];
    const log = (...given: unknown[]) => void calls.push(given);
    callAll(winstonLogger({ log, levels }));
    expect(calls.map(([level]) => level)).toEqual(['debug', 'info', warn, 'error']);
    expect(calls[0]).toEqual(['debug', 'hello', { a: 1 }]);
  });
});

describe('adaptedLogger', () => {
  const pinoParts = { bindings: () => ({}), isLevelEnabled: () => true, levels: { values: { info: 30 } } };

  it('hands pino the fields first, at every level', () => {
    const { calls, logger } = recorder();
    callAll(adaptedLogger(Object.assign(logger, pinoParts)) as Logger);
    expect(calls).toEqual(methods.map((method) => [method, { a: 1 }, 'hello']));
  });

  it.each<[string, object]>([
    ['nothing else', {}],
    ['no bindings', { ...pinoParts, bindings: undefined }],
    ['no isLevelEnabled', { ...pinoParts, isLevelEnabled: undefined }],
    ['levels of another kind', { ...pinoParts, levels: { error: 0 } }],
  ])('leaves a logger with %s as it is', (_, parts) => {
    const { calls, logger } = recorder();
    const given = Object.assign(logger, parts);
    expect(adaptedLogger(given)).toBe(given);
    callAll(adaptedLogger(given));
    expect(calls).toEqual(inOrder);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { isLogged, type LogLevel, leveledLogger, loggerMethods, logLevels } from '../../src/utils/logger.js';

describe('leveledLogger', () => {
  it.each<[LogLevel, readonly string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['off', []],
  ])('at %s passes on %j', (level, expected) => {
    const heard: string[] = [];
    const hear = (name: string) => (message: string, fields: object) => {
      heard.push(name);
      expect([message, fields]).toEqual(['hello', { a: 1 }]);
    };
    const logger = leveledLogger(
      { debug: hear('debug'), info: hear('info'), warn: hear('warn'), error: hear('error') },
      level,
    );
    for (const name of loggerMethods) logger[name]('hello', { a: 1 });
    expect(heard).toEqual(expected);
  });

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
    const lines: unknown[] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    const cleaned: unknown[] = [];
    const clean = {
      known: (message: string) => {
        cleaned.push(message);
        return message === 'secret' ? 'clean' : message;
      },
      value: (fields: unknown) => {
        cleaned.push(fields);
        return fields;
      },
    };
    const logger = leveledLogger({ debug: note, info: note, warn: note, error: note }, 'warn', clean);
    logger.info('secret', {});
    expect(cleaned).toEqual([]);
    logger.warn('secret', { a: 1 });
    expect(lines).toEqual([['clean', { a: 1 }]]);
    expect(cleaned).toEqual(['secret', { a: 1 }]);
  });
});

describe('isLogged', () => {
  it('is true from the level on', () => {
    const table = logLevels.map((level) => loggerMethods.map((method) => isLogged(method, level)));
    expect(table).toEqual([
      [true, true, true, true],
      [false, true, true, true],
      [false, false, true, true],
      [false, false, false, true],
      [false, false, false, false],
    ]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { leveledLogger } from '../../src/utils/logger.js';

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

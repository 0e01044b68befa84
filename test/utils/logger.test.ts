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

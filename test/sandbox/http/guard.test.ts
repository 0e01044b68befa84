import { describe, expect, it } from 'vitest';
import { type Caller, controlRefusal, pageRefusal } from '../../../src/sandbox/http/guard.js';

const caller = (headers: Caller['headers'], rest: Partial<Caller> = {}): Caller => ({
  method: 'GET',
  headers: { host: '127.0.0.1:4010', ...headers },
  localAddress: '127.0.0.1',
  localPort: 4010,
  ...rest,
});

describe('the Host that the console accepts', () => {
  it.each(['127.0.0.1:4010', 'localhost:4010', 'LOCALHOST:4010', '[::1]:4010'])('is %s', (host) => {
    expect(pageRefusal(caller({ host }), '127.0.0.1')).toBeUndefined();
    expect(controlRefusal(caller({ host }), '127.0.0.1')).toBeUndefined();
  });

  it.each([
    'evil.example:4010',
    'localhost.evil.example:4010',
    '127.0.0.1:4011',
    '127.0.0.1',
    'localhost',
    '127.0.0.1.nip.io:4010',
    '192.168.1.9:4010',
    '',
  ])('is not %j', (host) => {
    expect(pageRefusal(caller({ host }), '127.0.0.1')).toMatch(/such as 127\.0\.0\.1:4010/);
    expect(controlRefusal(caller({ host }), '127.0.0.1')).toBeDefined();
  });

  it('is never missing', () => {
    expect(pageRefusal({ ...caller({}), headers: {} }, '127.0.0.1')).toBeDefined();
  });

  it('is the host that it listens on', () => {
    expect(pageRefusal(caller({ host: 'dev.box:4010' }), 'dev.box')).toBeUndefined();
    expect(pageRefusal(caller({ host: '[fd00::1]:4010' }), 'fd00::1')).toBeUndefined();
  });

  it('is the address that the connection came in on, which no name can be', () => {
    const lan = { localAddress: '::ffff:192.168.1.9' };
    expect(pageRefusal(caller({ host: '192.168.1.9:4010' }, lan), '0.0.0.0')).toBeUndefined();
    expect(pageRefusal(caller({ host: 'evil.example:4010' }, lan), '0.0.0.0')).toBeDefined();
    const v6 = { localAddress: 'fd00::2' };
    expect(pageRefusal(caller({ host: '[fd00::2]:4010' }, v6), '::')).toBeUndefined();
  });

  it('needs no port on port 80', () => {
    expect(pageRefusal(caller({ host: 'localhost' }, { localPort: 80 }), '127.0.0.1')).toBeUndefined();
  });
});

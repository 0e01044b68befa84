import { describe, expect, it } from 'vitest';
import { controlRefusal, hostRefusal } from '../../../src/sandbox/http/guard.js';

const caller = (headers: Record<string, string>) => ({
  method: 'GET',
  headers: new Headers({ host: '127.0.0.1:4010', ...headers }),
});

describe('the Host that a sandbox on a loopback address accepts', () => {
  it.each([
    '127.0.0.1:4010',
    'localhost:4010',
    'LOCALHOST:4011',
    '[::1]:4010',
    'localhost',
    'shop.localhost',
  ])('is %s: no DNS server can give it to somebody else', (host) => {
    expect(hostRefusal(caller({ host }), '127.0.0.1')).toBeUndefined();
    expect(controlRefusal(caller({ host }), 'localhost')).toBeUndefined();
  });

  it.each(['evil.example:4010', 'localhost.evil.example', '127.0.0.1.nip.io:4010', '192.168.1.9:4010', ''])(
    'is not %j',
    (host) => {
      expect(hostRefusal(caller({ host }), '127.0.0.1')).toMatch(/--allow-remote/);
      expect(controlRefusal(caller({ host }), '::1')).toBeDefined();
    },
  );

  it('may be missing: a browser always sends one', () => {
    expect(hostRefusal({ headers: new Headers() }, '127.0.0.1')).toBeUndefined();
  });

  it('is any where other machines are let in', () => {
    expect(hostRefusal(caller({ host: 'dev.box:4010' }), '0.0.0.0')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { rewriteEcho } from './purchases/echo.js';

const data = { reference: 'TXN-1', recipient: '08031234567', biller: 'MTN', amount: 100.5 };
const message = (status: string, body: unknown) => {
  const json = JSON.stringify(body);
  return Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${json.length}\r\n\r\n${json}`);
};
const acceptance = message('202 Accepted', { status: 'pending', data });

describe('the echo of a service that nets, rounds and masks', () => {
  const echoes = Array.from({ length: 200 }, (_, n) => {
    const text = rewriteEcho(`seed ${n}`, acceptance).toString();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    return JSON.parse(body).data;
  });

  it('is now as it was asked and now in other forms', () => {
    const amounts = new Set(echoes.map(({ amount }) => amount));
    const recipients = new Set(echoes.map(({ recipient }) => recipient));
    for (const amount of [100.5, 100, 101, 98.49, 90.45]) expect(amounts).toContain(amount);
    for (const recipient of ['08031234567', '080****4567', '+2348031234567', 8_031_234_567]) {
      expect(recipients).toContain(recipient);
    }
  });

  it.each([
    ['an error', message('402 Payment Required', { status: 'error', data })],
    ['an acceptance without data', message('202 Accepted', { status: 'pending' })],
    ['a body that was cut', Buffer.from('HTTP/1.1 202 Accepted\r\nContent-Length: 99\r\n\r\n{"data":')],
  ])('leaves %s alone', (_, bytes) => {
    expect(rewriteEcho('seed', bytes)).toEqual(bytes);
  });
});

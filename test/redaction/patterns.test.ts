import { describe, expect, it } from 'vitest';
import { hideCredentials, hideTokens, isSecretName } from '../../src/redaction/patterns.js';
import { hardTexts } from '../support/hard-texts.js';

const hideAll = (text: string): string => hideTokens(hideCredentials(text));

describe('isSecretName', () => {
  const names = (text: string) => text.trim().split(/\s+/);
  const secret = `
    token tokens accesstoken access_token tokenValue token-value client_secret secrets pin pin1 pin_1
    pinNo PINs WAECPin ePin pincode pin_codes PINCodes password old_passwords account_password
    sessionToken passwd passcode voucher voucherCode credentials serial serials serial_no serialNumber
    serialnumbers serialnos authorization Proxy-Authorization cookie Set-Cookie otp otps cvv cvc apiKey
    x-api-key apikeys secret_key private-key accessKey signing_key activationKey license_keys
    licence_key card_code activation_code rechargeCodes access_code scratch_code unlockCode
    redemption_code in_token my_serial_port card scratch_cards rechargeCard
  `;
  const plain = `
    code error_code product_code client_id recipient reference idempotency_key idempotencyKey
    Idempotency-Key key monkey pinned shipping tokenize secretary cookies preauthorization serialise
    deserialised discard_codex cards_left tokens_left pin_codes_used cardinal discarded 123
    secret_version
  `;
  /** What a name says about a token or a PIN, in place of being one. */
  const about = `
    at count counts expired expires expiry format in left length limit limits name remaining required
    state status type types url urls used
  `;

  it('is true for every name of a secret', () => {
    expect(names(secret).filter((name) => !isSecretName(name))).toEqual([]);
  });

  it('is false for other names, and for what is said about a secret', () => {
    const told = names(about).flatMap((word) => [`token_${word}`, `pin_${word}`]);
    expect([...names(plain), ...told, '', '123'].filter(isSecretName)).toEqual([]);
  });
});

describe('a text', () => {
  it.each([
    // What a label names.
    ['PIN is 48210937', 'PIN is [redacted]'],
    ['Your PIN is 48210937.', 'Your PIN is [redacted].'],
    ['PIN: 48210937', 'PIN: [redacted]'],
    ['PIN 48210937', 'PIN [redacted]'],
    ['pin code is 4821', 'pin code is [redacted]'],
    ['token no. 1234-5678', 'token no. [redacted]'],
    ['token number: AB12', 'token number: [redacted]'],
    ['PINs are 4821 and 9377', 'PINs are [redacted]'],
    ['PINs: 4821, 9377; 1111 & 2222', 'PINs: [redacted]'],
    ['PIN 4821 0937', 'PIN [redacted]'],
    ['PIN is 4821.0937', 'PIN is [redacted]'],
    ['voucher 4821-AB', 'voucher [redacted]'],
    ['vouchers were 4821AB', 'vouchers were [redacted]'],
    ['password=hunter2', 'password=[redacted]'],
    ['passcode "4821"', 'passcode "[redacted]"'],
    ['OTP was 482109', 'OTP was [redacted]'],
    ['access_token=abc123&x=1', 'access_token=[redacted]&x=1'],
    ['ePIN #48210937', 'ePIN #[redacted]'],
    ['token values > 48210937', 'token values > [redacted]'],
    // Digits in groups.
    ['use 1234.5678.9012.3456.7890', 'use [redacted]'],
    ['use 1234/5678/9012/3456/7890', 'use [redacted]'],
    ['use 1234\u00a05678\u00a09012', 'use [redacted]'],
    ['use 1234\u20075678\u20099012\u202f1', 'use [redacted]'],
    ['use 1234-5678-9012', 'use [redacted]'],
    ['use 123456789012', 'use [redacted]'],
    ['at 192.168.100.100.1', 'at [redacted]'],
    ['at 192168100100', 'at [redacted]'],
    [
      'Token : 03600873271267716521 Bonus Token : 1111-2222-3333-4444-5555',
      'Token : [redacted] Bonus Token : [redacted]',
    ],
    ['Serial No:WRN182135587, pin: 373820665258', 'Serial No:WRN182135587, pin: [redacted]'],
    // Credentials.
    ['key=sk_live_abc, then', 'key=sk_[redacted], then'],
    ['Bearer abc.def', 'Bearer [redacted]'],
    ['authorization: bearer  abc', 'authorization: bearer  [redacted]'],
    ['Bearer%20sk_live_abc', 'Bearer%20sk_[redacted]'],
    ['{"a":"line\\nsk_live_abc', '{"a":"line\\nsk_[redacted]'],
    ['{"a":"line\\u0022sk_live_abc', '{"a":"line\\u0022sk_[redacted]'],
    ['xwhsec_abc', 'xwhsec_[redacted]'],
    // JSON that cannot be parsed.
    ['{"cards":[{"code":"4821', '{"cards":"[redacted]"'],
    ['{"card":{"code":"4821', '{"card":"[redacted]"'],
    ['{"pin_1":"4821","x":1', '{"pin_1":"[redacted]","x":1'],
    ['{\\"pin\\":\\"4821\\",\\"x', '{\\"pin\\":"[redacted]"'],
    ['{"pin":null,"token": null}', '{"pin":null,"token": null}'],
    ['{"pin":"', '{"pin":"[redacted]"'],
    ['{"data":{"token":"4821"},"x":{"pins":["1"', '{"data":{"token":"[redacted]"},"x":{"pins":"[redacted]"'],
    ['{"token":{"pin":"4821"},"pin":5', '{"token":"[redacted]","pin":"[redacted]"'],
    ['{"voucher" : 12 }', '{"voucher" : "[redacted]" }'],
    ['{"pin":"48\\"21', '{"pin":"[redacted]"'],
    ['{"pin":"x\\\\","b":1}', '{"pin":"[redacted]","b":1}'],
    ['{"pin":x9}', '{"pin":"[redacted]"}'],
    ['{"token":{"value": "x9", "more', '{"token":"[redacted]"'],
    ['{"password":"two words, cut o', '{"password":"[redacted]"'],
  ])('%s', (text, expected) => {
    expect(hideAll(text)).toBe(expected);
  });

  it.each([
    'the PIN is wrong',
    'task_list risk_score disk_full',
    'phone 08031234567 at 2026-01-31 09:30:00',
    'the bearer token is missing: log in',
    'order 20260131-77',
    'PIN must be 4 digits',
    'PIN 482',
    'a pin of order 48210937',
    'invalid token for phone 08031234567',
    'starts with neither sk_ (secret key) nor pk_ (public key): sk_…',
    'connect ECONNREFUSED 192.168.100.200:443',
    'from 255.255.255.255 to 100.100.100.100',
    '{"code":"4821"}',
    '{"pin":',
    '{"pin": }',
    'spinning 1234',
    'pins',
  ])('leaves %j', (text) => {
    expect(hideAll(text)).toBe(text);
  });

  it.each(hardTexts)('reads %j, again and again, in a time that grows with its length', (part) => {
    const times = [50_000, 200_000].map((length) => {
      const text = part.repeat(Math.ceil(length / part.length));
      const startedAt = performance.now();
      hideAll(text);
      return performance.now() - startedAt;
    });
    // Four times the text may take four times as long, and what a busy machine adds. What grows with the square takes minutes here.
    const [few = 0, many = 0] = times;
    expect(many).toBeLessThanOrEqual(Math.max(1000, few * 12));
  });
});

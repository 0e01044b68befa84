/**
 * Everything that the sandbox generates: references, tokens, keys. The same seed gives the same sequence, so that a test
 * can contain the expected values. References and delivery ids can come from the system's randomness instead: an application
 * with a lasting database must not receive the same reference for two transactions.
 */

/** A stream of unsigned 32-bit numbers. */
type Stream = () => number;

const hash = (text: string, start: number): number => {
  let state = start;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
};

/** Small fast counter generator (sfc32). */
function stream(seed: string): Stream {
  let a = hash(seed, 0x811c9dc5);
  let b = hash(seed, 0x9e3779b9);
  let c = hash(seed, 0x85ebca6b);
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** Numbers that no other run repeats. */
function randomStream(): Stream {
  const numbers = new Uint32Array(256);
  let at = numbers.length;
  return () => {
    if (at === numbers.length) {
      crypto.getRandomValues(numbers);
      at = 0;
    }
    return numbers[at++] ?? 0;
  };
}

const digits = '0123456789';
/** Without I, L, O and U, which people misread. */
const referenceLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const keyLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function draw(next: Stream, alphabet: string, length: number): string {
  let text = '';
  for (let at = 0; at < length; at++) text += alphabet.charAt(next() % alphabet.length);
  return text;
}

/** A seed for those who gave none. */
export const randomSeed = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

/** Generators of a sandbox, each with its own stream, so that one does not change the values of another. */
export interface Ids {
  /** A transaction reference, `TXN-` and 16 letters and digits. */
  reference(): string;
  /** A webhook delivery's UUID. */
  deliveryId(): string;
  /** A webhook secret of a client, `whsec_…`; `count` counts those that it had. */
  webhookSecret(clientId: string, count: number): string;
  /** An API key of a client; `generation` counts its rotations. */
  apiKey(prefix: string, clientId: string, generation: number): string;
  /** An electricity token, 20 digits; the same for the same reference. */
  meterToken(reference: string): string;
  /** `count` PINs of an examination body in one text; the same for the same reference. */
  pins(biller: string, reference: string, count: number): string;
  /** A customer's name; the same for the same recipient. */
  customerName(recipient: string): string;
  /** A supply address; the same for the same recipient. */
  address(recipient: string): string;
}

const firstNames = ['ADAEZE', 'CHINEDU', 'FATIMA', 'IBRAHIM', 'NGOZI', 'OLUWASEUN', 'TUNDE', 'ZAINAB'];
const lastNames = ['ADEYEMI', 'BELLO', 'EZE', 'IBEH', 'LAWAL', 'NWOSU', 'OKAFOR', 'YUSUF'];
const streets = ['ADENIYI JONES AVENUE', 'ALLEN AVENUE', 'AMINU KANO CRESCENT', 'BROAD STREET', 'WUSE ROAD'];

const pick = (next: Stream, list: readonly string[]): string => list[next() % list.length] ?? '';

const pinShapes: Readonly<Record<string, (next: Stream) => string>> = {
  WAEC: (next) => `Serial No:WRN${draw(next, digits, 9)}, pin: ${draw(next, digits, 12)}`,
  NECO: (next) => draw(next, digits, 12),
  NABTEB: (next) => `Serial No:NBT${draw(next, digits, 9)}, pin: ${draw(next, digits, 12)}`,
  JAMB: (next) => draw(next, digits, 16),
};

/** `seeded`: the seed repeats them. `unique`: they are new in every run. */
export type ReferenceSource = 'seeded' | 'unique';

export function createIds(seed: string, source: ReferenceSource): Ids {
  const of = (purpose: string) => stream(`${seed}/${purpose}`);
  const references = source === 'unique' ? randomStream() : of('reference');
  const deliveryIds = source === 'unique' ? randomStream() : of('delivery');

  return {
    reference: () => `TXN-${draw(references, referenceLetters, 16)}`,
    deliveryId: () => {
      const hex = draw(deliveryIds, '0123456789abcdef', 30);
      const variant = draw(deliveryIds, '89ab', 1);
      return hex.replace(/^(.{8})(.{4})(.{3})(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
    },
    webhookSecret: (clientId, count) => `whsec_${draw(of(`secret/${clientId}/${count}`), keyLetters, 32)}`,
    apiKey: (prefix, clientId, generation) =>
      `${prefix}sandbox_${draw(of(`key/${prefix}/${clientId}/${generation}`), keyLetters, 32)}`,
    meterToken: (reference) => draw(of(`token/${reference}`), digits, 20),
    pins: (biller, reference, count) => {
      const next = of(`pins/${reference}`);
      const shape = pinShapes[biller] ?? ((from: Stream) => draw(from, digits, 12));
      return Array.from({ length: count }, () => shape(next)).join('||');
    },
    customerName: (recipient) => {
      const next = of(`name/${recipient}`);
      return `${pick(next, firstNames)} ${pick(next, lastNames)}`;
    },
    address: (recipient) => {
      const next = of(`address/${recipient}`);
      return `${1 + (next() % 120)} ${pick(next, streets)}`;
    },
  };
}

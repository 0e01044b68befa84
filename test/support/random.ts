/** Seeded random numbers: the same seed gives the same numbers on any machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.#a = hash(seed, 0x811c9dc5);
    this.#b = hash(seed, 0x9e3779b9);
    this.#c = hash(seed, 0x85ebca6b);
    for (let round = 0; round < 12; round++) this.uint32();
  }

  /** sfc32. */
  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + (this.uint32() % (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.uint32() < probability * 2 ** 32;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.uint32() % list.length] ?? list[0];
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at++) bytes[at] = this.uint32() & 0xff;
    return bytes;
  }
}

function hash(text: string, start: number): number {
  let state = start;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

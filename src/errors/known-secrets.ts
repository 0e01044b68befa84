/**
 * Finds secrets that are known by value (the client's key, a subscription's secrets, an event's token) wherever they stand in a text,
 * and in whatever encoding: any case, URL-encoded, escaped for JSON or HTML, base64 at any alignment, digits in groups.
 */

/** Shorter values would be found in every text. */
const shortestSecret = 4;
/** Shorter values are too few characters of base64 to tell them from others. */
const shortestEncoded = 8;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const htmlNames: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** One character in every form that it may be written in. */
function anyFormOf(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  const codes = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const point = character.codePointAt(0) ?? 0;
  const forms = [
    `\\\\{0,3}${escaped(character)}`,
    bytes.map((byte) => `%(?:25){0,2}${hex(byte, 2)}`).join(''),
    codes.map((code) => `\\\\{1,3}u${hex(code, 4)}`).join(''),
  ];
  if (!/[a-z0-9]/i.test(character)) forms.push(`&#0{0,4}${point};`, `&#x0{0,4}${hex(point, 1)};`);
  const name = htmlNames[character];
  if (name) forms.push(`&${name};`);
  if (character === ' ') forms.push('\\+');
  return `(?:${forms.join('|')})`;
}

const groupSeparators = /[-. /\u00a0\u2007\u2009\u202f]/g;

/** The pattern of one secret. Digits may stand in groups, whichever way they were written where they came from. */
function patternOf(secret: string): string {
  const ungrouped = secret.replace(groupSeparators, '');
  const isDigits = /^\d+$/.test(ungrouped);
  const characters = [...(isDigits ? ungrouped : secret)];
  return characters.map(anyFormOf).join(isDigits ? `${groupSeparators.source}?` : '');
}

/** Base64 of either alphabet in one, without case: enough to compare with. */
const normalized = (base64: string): string =>
  base64
    .toLowerCase()
    .replace(/-|%2b/g, '+')
    .replace(/_|%2f|\\\//g, '/');

/** The part of a secret's base64 that does not depend on the text before and after it, at each of the three alignments. */
function encodedCores(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length < shortestEncoded) return [];
  return [0, 1, 2].map((offset) => {
    const text = btoa('\0'.repeat(offset) + String.fromCharCode(...bytes));
    return normalized(text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)));
  });
}

const base64Run = /(?:[A-Za-z0-9+/_-]|%2[bf]|\\\/){8,}(?:=|%3d){0,2}/gi;

/** A key or a webhook secret without its prefix, which some libraries strip. */
const unprefixed = (secret: string): string[] => {
  const rest = /^(?:sk|pk|whsec)_(?:live_|test_)?(.{12,})$/s.exec(secret)?.[1];
  return rest === undefined ? [secret] : [secret, rest];
};

/** Makes a function that replaces these secrets in a text. Nothing is compiled before its first use. */
export function createSecretReplacer(
  secrets: readonly string[],
  replacement: string,
): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= shortestSecret).flatMap(unprefixed);
  if (known.length === 0) return (text) => text;
  let patterns: RegExp | undefined;
  let cores: readonly string[] = [];
  return (text) => {
    if (!patterns) {
      // The longest first: one secret may begin with another.
      const longestFirst = known.toSorted((a, b) => b.length - a.length);
      patterns = new RegExp(longestFirst.map(patternOf).join('|'), 'gi');
      cores = known.flatMap(encodedCores);
    }
    return text.replace(patterns, replacement).replace(base64Run, (run) => {
      const plain = normalized(run);
      return cores.some((core) => plain.includes(core)) ? replacement : run;
    });
  };
}

/** Words of a token that may be worth money. Shorter ones would be found in every text. */
const tokenWord = /[A-Za-z0-9][A-Za-z0-9-]{3,}/g;

/**
 * The secrets in the `token` of a transaction or event, whatever its type: each text as a whole and each word of it that holds a digit,
 * because upstream text is often several values (`Serial No:WRN182135587, pin: 373820665258`), and each number. Lists and objects are
 * searched at every depth.
 */
export function secretsInToken(token: unknown): string[] {
  const found: string[] = [];
  const values = [token];
  for (const value of values) {
    if (typeof value === 'string') {
      found.push(value, ...(value.match(tokenWord) ?? []).filter((word) => /\d/.test(word)));
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      found.push(String(value));
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
  return found;
}

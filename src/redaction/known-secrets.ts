/** Shorter values would be found in every text. */
const shortestSecret = 4;

const groupSeparator = '[-. /\\u00a0\\u2007\\u2009\\u202f]';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** One character as it is, behind the backslashes of JSON, or URL-encoded. */
function anyFormOf(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  const encoded = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `(?:\\\\{0,3}${escaped(character)}|${encoded})`;
}

/**
 * The base64 of a secret inside a longer text: gateways dump the head of a request in base64. What stands before the secret decides at
 * which of three positions in a group of four characters it begins.
 */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  // Fewer characters would be found by chance.
  if (bytes.length < 8) return [];
  return [0, 1, 2].map((offset) => {
    const text = btoa('\0'.repeat(offset) + String.fromCharCode(...bytes));
    const own = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return `${own.replace(/\+/g, '[+-]').replace(/\//g, '[/_]')}[\\w+/=-]*`;
  });
}

/** Digits may be grouped in another way than where they came from. */
function patternsOf(secret: string): string[] {
  const digits = secret.replace(new RegExp(groupSeparator, 'g'), '');
  if (/^\d+$/.test(digits)) return [[...digits].join(`${groupSeparator}?`)];
  return [[...secret].map(anyFormOf).join(''), ...base64Forms(secret)];
}

/** A key or a webhook secret also without its prefix, which libraries for webhooks strip. */
const unprefixed = (secret: string): string[] => {
  const rest = /^(?:sk|pk|whsec)_(?:live_|test_)?(.{12,})$/s.exec(secret)?.[1];
  return rest === undefined ? [secret] : [secret, rest];
};

/**
 * Makes a function that replaces these secrets in a text: as they are, in any case, URL-encoded, escaped for JSON, in base64, and digits in
 * groups. Nothing is compiled before its first use.
 */
export function createSecretReplacer(
  secrets: readonly string[],
  replacement: string,
): (text: string) => string {
  // The longest first: one secret may begin with another.
  const known = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap(unprefixed)
    .sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  let pattern: RegExp | undefined;
  return (text) => {
    pattern ??= new RegExp(known.flatMap(patternsOf).join('|'), 'gi');
    return text.replace(pattern, () => replacement);
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

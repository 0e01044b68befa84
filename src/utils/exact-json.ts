/** Cheap to test: only a text with so many digits in a row can hold a whole number that is too long. */
const manyDigits = /\d{16}/;

/** A string, which is passed over, or a number. Linear in a text that is known to be JSON. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON, and returns whole numbers beyond 2^53 as texts with all of their digits: as numbers they would be rounded, and a rounded
 * token is worth nothing to the customer who paid for it.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!manyDigits.test(text)) return parsed;
  let isRounded = false;
  const exact = text.replace(stringOrNumber, (part) => {
    if (!/^-?\d+$/.test(part) || Number.isSafeInteger(Number(part))) return part;
    isRounded = true;
    return `"${part}"`;
  });
  return isRounded ? JSON.parse(exact) : parsed;
}

/** Parsed JSON, long whole numbers as texts; undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Only a text with so many digits in a row can hold a whole number that is too long. */
const manyDigits = 16;

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

/** Looks at each sixteenth character only, because every run of so many digits covers one of them. */
function hasManyDigits(text: string): boolean {
  for (let at = manyDigits - 1; at < text.length; at += manyDigits) {
    if (!isDigit(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigit(text, first - 1)) first--;
    while (isDigit(text, last + 1)) last++;
    if (last - first >= manyDigits - 1) return true;
  }
  return false;
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A whole number that JavaScript would round, as a text. */
const exactly = (part: string): string =>
  /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part;

/** The index of the quotation mark that ends the string which begins at `open`. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text[first - 1] === '\\') first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}

/**
 * Parses JSON, and returns whole numbers beyond 2^53 as texts with all of their digits: as numbers they would be rounded, and a rounded
 * token is worth nothing to the customer who paid for it. Strings are passed over without a regular expression, whose stack a text of some MB overflows.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!hasManyDigits(text)) return parsed;
  let exact = '';
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('"', at);
    const open = found === -1 ? text.length : found;
    const end = endOfString(text, open);
    exact += text.slice(at, open).replace(number, exactly) + text.slice(open, end + 1);
    at = end + 1;
  }
  return exact.length === text.length ? parsed : JSON.parse(exact);
}

/** Parsed JSON, long whole numbers as texts; undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Characters that a terminal obeys, and those that change the direction of a text. */
const obeyed = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text from elsewhere (a response, a file, a header) as it may be printed on a terminal. */
export const printable = (text: string): string => text.replace(obeyed, '?');

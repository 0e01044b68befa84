import { redactCredentials, redactPatterns } from './secret-patterns.js';

/** Replaces secrets in text. */
export interface TextRedactor {
  /** Replaces known secrets only. */
  known(text: string): string;
  /** Free text from outside: replaces known secrets and everything that looks like a secret. */
  text(text: string): string;
  /** A reference or another identifier from outside, which a reader must find whole: many digits are no secret here. */
  identifier(text: string): string;
}

/** Only the beginning of a longer text is read, and the end of that is dropped, where a secret may have been cut in two. */
const maxTextRead = 50_000;
const droppedEnd = 500;

/** Makes a redactor of text from a function that replaces known secrets. They come first: a pattern might match only half of one. */
export const createTextRedactor = (known: (text: string) => string): TextRedactor => ({
  known,
  text(given) {
    const isLong = given.length > maxTextRead;
    const clean = redactPatterns(known(isLong ? given.slice(0, maxTextRead) : given));
    return isLong ? clean.slice(0, -droppedEnd) : clean;
  },
  identifier: (given) => redactCredentials(known(given)),
});

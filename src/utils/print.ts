/** Defines a property that is not enumerable, so that printing and spreading skip it: its value may be secret. */
export function defineHidden(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true });
}

/** What Node, Bun and Deno pass to an inspecting function. */
export type InspectArguments = [
  depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
];

const inspectKey = Symbol.for('nodejs.util.inspect.custom');

/**
 * Sets the text that `console.log` and `util.inspect` show of the objects of a class in Node, Bun and Deno, unless a subclass of the caller's has
 * its own. Called for each object, it adds a method to the class with the first one. Bundlers keep every class whose body has a method under such a
 * symbol, and all that it uses, even where nothing imports the class.
 */
export function printAs<T extends object>(
  target: T,
  inspected: (this: T, ...given: InspectArguments) => string,
): void {
  if (!(inspectKey in target)) defineHidden(Object.getPrototypeOf(target), inspectKey, inspected);
}

/** Characters that a terminal obeys, and those that change the direction of a text. */
const obeyed = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text from elsewhere (a response, a file, a header) as it may be printed on a terminal. */
export const printable = (text: string): string => text.replace(obeyed, '?');

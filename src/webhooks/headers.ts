/** Request headers of any framework: a `Headers`, Node's header object, any plain object, or a list of pairs. Names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly (readonly [name: string, value: string])[];

/** One value as text. Several values are joined as `Headers` joins them; no check accepts the result as one value. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  return textOf(value.filter((item) => typeof item === 'string').join(', '));
}

/** The value of a header, or undefined when it is absent or empty. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (!isObject(headers)) return undefined;
  const wanted = name.toLowerCase();
  if (typeof headers['get'] === 'function') return textOf(headers['get'](wanted));
  if (Array.isArray(headers)) {
    const values = headers.filter((pair) => Array.isArray(pair) && isNamed(pair[0], wanted));
    return textOf(values.map((pair) => pair[1]));
  }
  const plain = textOf(headers[wanted]);
  if (plain !== undefined) return plain;
  const key = Object.keys(headers).find((candidate) => isNamed(candidate, wanted));
  return key === undefined ? undefined : textOf(headers[key]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isNamed = (candidate: unknown, wanted: string): boolean =>
  typeof candidate === 'string' && candidate.toLowerCase() === wanted;

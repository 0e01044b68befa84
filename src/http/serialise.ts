import { isRecord } from '../utils/is-record.js';

/** The JSON text of an object, and the object that this text describes. */
export interface SerialisedObject {
  /** What is sent. */
  readonly text: string;
  /** A parsed copy of `text`: everything that is decided about a request is decided by it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An object in JSON, or the reason why it cannot be sent. */
export type Serialisation =
  | ({ readonly ok: true } & SerialisedObject)
  | { readonly ok: false; readonly problem: string };

const refused = (problem: string): Serialisation => ({ ok: false, problem });

/**
 * Serialises an object exactly once. Accessors, `toJSON`, prototypes and proxies can give another value at each
 * reading, so the caller's object must not be read again afterwards: what is checked has to be what is sent.
 */
export function serialiseOnce(given: unknown): Serialisation {
  let nonFinite: string | undefined;
  const replacer = (name: string, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) nonFinite ??= `${value} at '${name}'`;
    return value;
  };
  let text: string | undefined;
  try {
    if (!isRecord(given)) return refused('must be an object');
    text = JSON.stringify(given, replacer);
  } catch (error) {
    return refused(
      error instanceof TypeError
        ? 'cannot be written as JSON: it contains a cycle or a BigInt'
        : 'cannot be written as JSON: reading one of its fields failed',
    );
  }
  if (nonFinite !== undefined) {
    return refused(`contains ${nonFinite}, which JSON would turn into null: pass a finite number`);
  }
  // `toJSON` may give nothing at all, or something that is not an object.
  const fields: unknown = text === undefined ? undefined : JSON.parse(text);
  return text !== undefined && isRecord(fields) ? { ok: true, text, fields } : refused('must be an object');
}

/** The same object with `client_id` in front. The text is joined, so that the checked bytes stay as they are. */
export function withClientId(clientId: string, text: string): string {
  const head = `{"client_id":${JSON.stringify(clientId)}`;
  return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
}

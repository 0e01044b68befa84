/** Electricity tokens and PINs are worth money to whoever reads them, so they are covered until asked for. */

/** What stands in a token's place. */
export const covered = '••••••••';

/** The same value with every `token` and `secret` in it covered. */
export function coverTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(coverTokens);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      (name === 'token' || name === 'secret') && typeof inner === 'string' ? covered : coverTokens(inner),
    ]),
  );
}

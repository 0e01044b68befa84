import type { StoredOrder } from './order.js';

/** Whether and how tokens and PINs are stored. */
export interface TokenPolicy {
  /** Store tokens and PINs as they come. */
  readonly storeTokens: boolean;
  /** Stores what this gives instead. */
  readonly encryptToken: ((token: string) => string | Promise<string>) | undefined;
}

/** A token as text, also where the service sends a list or an object of several; undefined where there is none. */
export function tokenText(token: unknown): string | undefined {
  if (token === undefined || token === null || token === '') return undefined;
  return typeof token === 'string' ? token : JSON.stringify(token);
}

/** The last four letters or digits of a token, for people who compare it by eye: `…6521`. */
export const tokenHint = (token: string): string => `…${token.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;

/** What is stored of a token. */
export async function storedToken(token: string, policy: TokenPolicy): Promise<string> {
  if (policy.encryptToken) return policy.encryptToken(token);
  return policy.storeTokens ? token : tokenHint(token);
}

/** Whether a delivered order comes with a token or PIN: then a success without one has to be looked up. */
export function bringsToken({ product, params }: Pick<StoredOrder, 'product' | 'params'>): boolean {
  return product === 'edu' || (product === 'electricity' && Reflect.get(params, 'meter_type') === 'prepaid');
}

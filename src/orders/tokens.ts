import { isRecord } from '../utils/unknown.js';
import type { Order } from './order.js';

/** Whether and how tokens and PINs are stored: options of `createOrders`. */
interface TokenPolicy {
  readonly storeTokens: boolean;
  readonly encryptToken?: ((token: string) => string | Promise<string>) | undefined;
}

/** A token as text, also where the service sends a list or an object of several; undefined where there is none. */
export function tokenText(token: unknown): string | undefined {
  if (token === undefined || token === null || token === '') return undefined;
  return typeof token === 'string' ? token : JSON.stringify(token);
}

/**
 * Whether a token, or a part of it, came as a number that cannot have kept its digits. Whole numbers of any length are read digit by digit and
 * are texts here; what is left are numbers with an exponent or a fraction.
 */
export function hasLostDigits(token: unknown): boolean {
  if (typeof token === 'number') return !Number.isSafeInteger(token);
  if (Array.isArray(token)) return token.some(hasLostDigits);
  return isRecord(token) && Object.values(token).some(hasLostDigits);
}

/** The last four letters or digits of a token, for people who compare it by eye: `…6521`. */
export const tokenHint = (token: string): string => `…${token.replace(/[^\p{L}\p{N}]/gu, '').slice(-4)}`;

/** What is stored of a token. */
export async function storedToken(token: string, policy: TokenPolicy): Promise<string> {
  if (policy.encryptToken) return policy.encryptToken(token);
  return policy.storeTokens ? token : tokenHint(token);
}

/** Whether a delivered order comes with a token or PIN: then a success without one has to be checked again. */
export function bringsToken({ product, params }: Pick<Order, 'product' | 'params'>): boolean {
  return product === 'edu' || (product === 'electricity' && Reflect.get(params, 'meter_type') === 'prepaid');
}

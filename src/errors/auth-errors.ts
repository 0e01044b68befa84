import { ApiError, type UndocumentedCode } from './api-error.js';
import { brand } from './base.js';

/**
 * 401: the key is missing, malformed, invalid or suspended, or the request's address is not on the key's IP allow-list.
 *
 * @example
 * ```ts
 * if (error instanceof AuthenticationError) await stopSelling(error.message); // every call fails alike: check the key
 * ```
 */
export class AuthenticationError extends ApiError {
  static override readonly [brand]: string = 'AuthenticationError';
  declare readonly name: 'AuthenticationError';
  declare readonly code: 'UNAUTHORIZED' | UndocumentedCode | undefined;
}

/**
 * 403 GATEWAY_ERROR: `clientId` is not registered, or a public key was used where a secret key is needed. The latter
 * is refused before anything is sent (`status` undefined, `attempts` 0).
 *
 * @example
 * ```ts
 * if (error instanceof PermissionError && error.status === undefined) console.log('use a secret key (sk_…) on the server');
 * ```
 */
export class PermissionError extends ApiError {
  static override readonly [brand]: string = 'PermissionError';
  declare readonly name: 'PermissionError';
  declare readonly code: 'GATEWAY_ERROR';
}

/**
 * 403 ACCOUNT_RESTRICTED: the account is not verified or not in good standing. Read-only calls still work.
 *
 * @example
 * ```ts
 * if (error instanceof AccountRestrictedError) await stopSelling('the account is restricted: ask the operator');
 * ```
 */
export class AccountRestrictedError extends ApiError {
  static override readonly [brand]: string = 'AccountRestrictedError';
  declare readonly name: 'AccountRestrictedError';
  declare readonly code: 'ACCOUNT_RESTRICTED';
}

/**
 * 402 INSUFFICIENT_BALANCE: the wallet cannot cover the purchase. Nothing was charged.
 *
 * @example
 * ```ts
 * if (error instanceof InsufficientBalanceError) await topUpWallet(); // then the same call with the same key
 * ```
 */
export class InsufficientBalanceError extends ApiError {
  static override readonly [brand]: string = 'InsufficientBalanceError';
  declare readonly name: 'InsufficientBalanceError';
  declare readonly code: 'INSUFFICIENT_BALANCE';
}

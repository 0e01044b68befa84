import { ConfigurationError } from '../../errors/configuration-error.js';
import { assertOption, isWholeNumber } from '../../validation/options.js';
import { checkNames } from '../service/fields.js';

/** Options for `listen`. */
export interface ListenOptions {
  /** The port (default 0: any free one). */
  readonly port?: number;
  /** The address to listen on (default `127.0.0.1`; another than a loopback one needs `allowRemote`). */
  readonly host?: string;
  /** `true` accepts connections from other machines: anyone who reaches the port can use the sandbox and its console (default false). */
  readonly allowRemote?: boolean;
  /**
   * What requests to `/_sandbox` must carry as `Authorization: Bearer …` (default: nothing on a loopback address, a random token
   * elsewhere, which `listen` returns).
   */
  readonly controlToken?: string;
}

/** The names of all options of `listen`. */
export const listenNames: readonly (keyof ListenOptions)[] = ['port', 'host', 'allowRemote', 'controlToken'];

/** Checked options with their defaults in place. */
export interface ResolvedListenOptions {
  readonly port: number;
  readonly host: string;
  /** Undefined where the control API needs no token. */
  readonly controlToken: string | undefined;
}

/** Long enough not to be guessed: it replaces the protection of a loopback address. */
const randomToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

const loopbackAddress = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Checks what `listen` was given. */
export function readListenOptions(options: unknown): ResolvedListenOptions {
  const given = checkNames('options', options, listenNames);
  const { port = 0, host = '127.0.0.1', allowRemote = false, controlToken } = given;
  if (!isWholeNumber(port, 0) || Number(port) > 65_535) {
    throw new ConfigurationError('port', 'must be a whole number from 0 (any free one) to 65535');
  }
  assertOption(
    typeof host === 'string' && host !== '',
    'host',
    "must be an address to listen on, such as '127.0.0.1'",
  );
  assertOption(typeof allowRemote === 'boolean', 'allowRemote', 'must be true or false');
  assertOption(
    loopbackAddress.test(host) || allowRemote,
    'host',
    'lets other machines in; use 127.0.0.1, or say so with { allowRemote: true }',
  );
  assertOption(
    controlToken === undefined ||
      (typeof controlToken === 'string' && /^[\w.~+/=-]{16,}$/.test(controlToken)),
    'controlToken',
    'must be at least 16 letters, digits and the characters . _ ~ + / = -',
  );
  return {
    port: Number(port),
    host,
    controlToken: controlToken ?? (loopbackAddress.test(host) ? undefined : randomToken()),
  };
}

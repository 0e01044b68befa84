import { assertOption } from '../../validation/options.js';
import { type OptionShape, optionsOf, parseOptions } from '../../validation/parse-options.js';
import { allOptional, kind, whole, yesNo } from '../schemas/kinds.js';

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

/** A sandbox on a port. */
export interface Listening {
  /** The base address to give to a client: `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string;
  /** The port that it got. */
  readonly port: number;
  /** The token that requests to `/_sandbox` need; undefined where they need none. */
  readonly controlToken: string | undefined;
  /** Closes the port and all connections. The sandbox itself keeps running. */
  close(): Promise<void>;
}

/** Long enough not to be guessed: it replaces the protection of a loopback address. */
const randomToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

const loopbackAddress = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** The options of `listen`. */
export const listenFields = allOptional({
  port: whole(
    'must be a whole number from 0 (any free one) to 65535',
    0,
    65_535,
    {
      description:
        'The port to listen on; 0: any free one. By default the command takes 4010, or the next free one.',
    },
    { value: 'NUMBER', problem: 'must be a whole number from 0 to 65535' },
  ),
  host: kind<string>(
    (value) => typeof value === 'string' && value !== '',
    "must be an address to listen on, such as '127.0.0.1'",
    { type: 'string', minLength: 1, description: 'The address to listen on; default 127.0.0.1.' },
    { value: 'ADDRESS' },
  ),
  allowRemote: yesNo('Accepts connections from other machines; /_sandbox then needs a token.', {}),
  controlToken: kind<string>(
    (value) => typeof value === 'string' && /^[\w.~+/=-]{16,}$/.test(value),
    'must be at least 16 letters, digits and the characters . _ ~ + / = -',
    {
      type: 'string',
      minLength: 16,
      description: 'What requests to /_sandbox must carry; default with a host that lets others in: random.',
    },
    { value: 'TOKEN' },
  ),
}) satisfies OptionShape<ListenOptions>;

const schema = optionsOf(listenFields);

/** Checks what `listen` was given. */
export function readListenOptions(options: unknown) {
  const given = parseOptions(schema, options, { owner: 'the sandbox' });
  const { port = 0, host = '127.0.0.1', allowRemote = false, controlToken } = given;
  assertOption(
    loopbackAddress.test(host) || allowRemote,
    'host',
    'lets other machines in; use 127.0.0.1, or say so with { allowRemote: true }',
  );
  return {
    port,
    host,
    /** Undefined where the control API needs no token. */
    controlToken: controlToken ?? (loopbackAddress.test(host) ? undefined : randomToken()),
  };
}

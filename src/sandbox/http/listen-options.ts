import * as z from 'zod/mini';
import { isLoopbackHost } from '../../contract/field-rules.js';
import { assertOption, parseOptions } from '../../validation/options.js';
import { allOptional, expects, type FieldShape, fieldsOf, text, whole, yesNo } from '../schemas/fields.js';

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

/** What a client of this package needs to call the sandbox: `new BillPay(sandbox.connection)`. */
export interface SandboxConnection {
  /** The secret key of the default client. */
  readonly apiKey: string;
  /** The default client. */
  readonly clientId: string;
  /** The base address. */
  readonly baseUrl: string;
}

/** A sandbox on a port. */
export interface Listening {
  /** What a client needs to call it over the port: `new BillPay(listening.connection)`. */
  readonly connection: SandboxConnection;
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

const tokenProblem = expects('must be at least 16 letters, digits and the characters . _ ~ + / = -');

/** The options of `listen`. */
export const listenFields = allOptional({
  port: whole(
    0,
    65_535,
    'must be a whole number from 0 (any free one) to 65535',
    'The port to listen on; 0: any free one. By default the command takes 4010, or the next free one.',
  ),
  host: text('The address to listen on; default 127.0.0.1.'),
  allowRemote: yesNo('Accepts connections from other machines; /_sandbox then needs a token.'),
  controlToken: z
    .string(tokenProblem)
    .check(
      z.regex(/^[\w.~+/=-]{16,}$/, tokenProblem),
      z.describe(
        'What requests to /_sandbox must carry; default where other machines are let in: a random one.',
      ),
    ),
}) satisfies FieldShape<ListenOptions>;

const schema = fieldsOf(listenFields);

/** Checks what `listen` was given. */
export function readListenOptions(options: unknown) {
  const given = parseOptions(schema, options, { owner: 'the sandbox' });
  const { port = 0, host = '127.0.0.1', allowRemote = false, controlToken } = given;
  assertOption(
    isLoopbackHost(host) || allowRemote,
    'host',
    'lets other machines in; use 127.0.0.1, or allow it: allowRemote, --allow-remote',
  );
  return {
    port,
    host,
    /** Undefined where the control API needs no token. */
    controlToken: controlToken ?? (isLoopbackHost(host) ? undefined : randomToken()),
  };
}

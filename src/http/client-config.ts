import * as z from 'zod/mini';
import type { KeyKind } from '../contract/vocabulary.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type {
  AttemptRecord,
  BillPayOptions,
  CallOptions,
  CallRecord,
  HeadersOption,
  Logger,
  LogLevel,
  PurchaseOptions,
} from '../options.js';
import type { Pacer } from '../pacing/pacer.js';
import type { Redactor } from '../redaction/redactor.js';
import { flag, headersOption, ms, signal, wholeNumber } from '../validation/option-kinds.js';
import { type OptionShape, optionsOf, parseOptions } from '../validation/parse-options.js';
import type { Transport } from './transport.js';

/** Options of a client after checks and defaults. */
export interface ClientConfig {
  /** Set where a key, an account or an address is missing: what each call is refused for. The three fields are then empty. */
  readonly missing?: MissingCredentials | undefined;
  readonly apiKey: string;
  readonly keyKind: KeyKind;
  readonly clientId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  readonly transport: Transport;
  readonly headers: HeadersOption;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly onAttempt: ((record: AttemptRecord) => void) | undefined;
  readonly onCall: ((record: CallRecord) => void) | undefined;
  readonly aroundCall: BillPayOptions['aroundCall'];
  readonly pacer: Pick<Pacer, 'join' | 'pause'> | undefined;
  readonly retryDelay: ((attempt: number) => number) | undefined;
  readonly strictResponses: boolean;
  /** Knows the key, so that it is in nothing that is printed. */
  readonly redactor: Redactor;
  /** The warnings about responses that were given already: each is given once. */
  readonly warnings: Set<string>;
}

/** Credentials that were not there when a client was created. */
export interface MissingCredentials {
  readonly options: readonly [string, ...string[]];
  /** What is wrong and what to do. */
  readonly problem: string;
}

/** Throws the error of a client whose credentials are not complete. */
export function requireCredentials({ missing }: Pick<ClientConfig, 'missing'>): void {
  if (missing) throw new ConfigurationError(missing.options, missing.problem);
}

/** One call's options after checks, the client's filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  /** The client's and the call's; the later ones win. */
  readonly headers: readonly HeadersOption[];
  readonly resume: boolean;
}

const callOptions = {
  signal: z.optional(signal()),
  timeout: z.optional(ms()),
  totalTimeout: z.optional(ms()),
  maxRetries: z.optional(wholeNumber(0)),
  headers: z.optional(headersOption<Extract<HeadersOption, (attempt: never) => unknown>>()),
} satisfies OptionShape<CallOptions>;

const callSchema = optionsOf(callOptions);
const purchaseSchema = optionsOf({
  ...callOptions,
  resume: z.optional(flag()),
} satisfies OptionShape<PurchaseOptions>);

/** Whether a call can resume an earlier one: only a purchase under the caller's own key can. */
export type Resumable = 'never' | 'without-key' | 'with-key';

/** Checks one call's options and fills in the client's. */
export function resolveCallOptions(
  given: PurchaseOptions | undefined,
  client: ClientConfig,
  resumable: Resumable = 'never',
): ResolvedCallOptions {
  const { timeout, totalTimeout, maxRetries, headers } = client;
  if (given === undefined) {
    return { signal: undefined, timeout, totalTimeout, maxRetries, headers: [headers], resume: false };
  }
  const schema: typeof purchaseSchema | typeof callSchema =
    resumable === 'never' ? callSchema : purchaseSchema;
  const own: PurchaseOptions = parseOptions(schema, given, { owner: 'a call' });
  const { resume = false } = own;
  if (resume && resumable !== 'with-key') {
    throw new ConfigurationError(
      'resume',
      'needs the idempotency_key of the earlier call: a new key would be a new purchase',
    );
  }
  return {
    signal: own.signal,
    timeout: own.timeout ?? timeout,
    totalTimeout: own.totalTimeout ?? totalTimeout,
    maxRetries: own.maxRetries ?? maxRetries,
    headers: own.headers === undefined ? [headers] : [headers, own.headers],
    resume,
  };
}

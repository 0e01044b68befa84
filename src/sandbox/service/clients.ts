import { toKobo, toNaira } from '../../contract/money.js';
import { type KeyKind, keyPrefixes } from '../../contract/vocabulary.js';
import type { LedgerEntry, SandboxWallet } from '../records/objects.js';
import type { Ids } from './ids.js';
import type { Transaction } from './transactions.js';

/** What to be authenticated with. */
export interface SandboxCredentials {
  /** Sent with every call as `client_id`. */
  readonly clientId: string;
  /** `sk_…`: may call everything. */
  readonly secretKey: string;
  /** `pk_…`: may call catalogues and validate calls. */
  readonly publicKey: string;
}

/** A client's standing, which may change while the sandbox runs. */
export interface ClientConditions {
  /** Whether the account is verified and in good standing; if not, purchases get 403 ACCOUNT_RESTRICTED (default true). */
  readonly verified?: boolean;
  /** Whether its keys are suspended: every call gets 401 (default false). */
  readonly suspended?: boolean;
  /** Addresses that its keys work from; with none, any (default none). Others get 401. */
  readonly allowedIps?: readonly string[];
}

/** One entry of `createSandbox({ clients })`. */
export interface SandboxClientOptions extends ClientConditions {
  /** The account identifier. */
  readonly clientId: string;
  /** The initial balance of its wallet, in NGN (default: the sandbox's `balance`). */
  readonly balance?: number;
  /** Begins `sk_` (default: made up from the seed). */
  readonly secretKey?: string;
  /** Begins `pk_` (default: made up from the seed). */
  readonly publicKey?: string;
}

/** A function that receives webhooks without a port, such as the one that `createWebhookHandler` returns. */
export type WebhookHandler = (request: Request) => Response | Promise<Response>;

/** Where a client's webhooks go. */
export interface Subscription {
  readonly url: string;
  readonly secret: string;
  readonly enabled: boolean;
  /** The function that is called instead of a request to `url`. */
  readonly handler?: WebhookHandler | undefined;
  /** Whether a handler was subscribed: after a restart it is gone, and `url` leads nowhere. */
  readonly fromHandler?: boolean;
}

/** One client of the service: credentials, conditions, wallet, keys, subscription. */
export interface Client {
  readonly clientId: string;
  secretKey: string;
  publicKey: string;
  verified: boolean;
  suspended: boolean;
  allowedIps: readonly string[];
  /** How many secret keys it had before this one. */
  rotations: number;
  /** How many webhook secrets were made up for it. */
  secrets: number;
  /** Kinds of keys that were revoked and not replaced. */
  revoked: readonly KeyKind[];
  readonly wallet: Wallet;
  /**
   * What each idempotency key bought (docs/service.md, "Idempotency rules"). A key is in flight from the moment its request is admitted
   * until that request has its response; it stays used only if it created a transaction.
   */
  readonly keys: Map<string, Transaction | 'in flight'>;
  subscription: Subscription | undefined;
}

/** The client of a sandbox that is given none. */
export const defaultClient: SandboxClientOptions = { clientId: 'client_default' };

/** One client for each condition of an account. */
export const fixtureClients: readonly SandboxClientOptions[] = [
  { clientId: 'client_unverified', verified: false },
  { clientId: 'client_suspended', suspended: true },
  { clientId: 'client_allowlisted', allowedIps: ['203.0.113.10'] },
  { clientId: 'client_empty', balance: 0 },
];

/** What of a client can be written down: its wallet and its keys have lists of their own. */
export type StoredClient = Omit<Client, 'wallet' | 'keys'>;

/** A client's key that was presented, and its kind. */
interface KeyHolder {
  readonly client: Client;
  readonly kind: KeyKind;
}

/** All clients. */
export class Clients {
  readonly list: Client[] = [];
  readonly #ids: Ids;

  constructor(clients: readonly SandboxClientOptions[], defaultBalance: number, ids: Ids, now: Date) {
    this.#ids = ids;
    for (const { clientId, balance = defaultBalance, ...options } of clients) {
      const client = this.restore({
        clientId,
        secretKey: options.secretKey ?? ids.apiKey(keyPrefixes.secret, clientId, 0),
        publicKey: options.publicKey ?? ids.apiKey(keyPrefixes.public, clientId, 0),
        verified: options.verified ?? true,
        suspended: options.suspended ?? false,
        allowedIps: options.allowedIps ?? [],
        rotations: 0,
        secrets: 0,
        revoked: [],
        subscription: undefined,
      });
      if (balance > 0) client.wallet.fund(balance, now);
    }
  }

  byId(clientId: string): Client | undefined {
    return this.list.find((client) => client.clientId === clientId);
  }

  /** Whose key this is, and of which kind; undefined for one that is unknown, rotated away or revoked. */
  byKey(key: string): KeyHolder | undefined {
    const client = this.list.find(({ secretKey, publicKey }) => key === secretKey || key === publicKey);
    if (!client) return undefined;
    const kind = key === client.secretKey ? 'secret' : 'public';
    return client.revoked.includes(kind) ? undefined : { client, kind };
  }

  /** Adds a client with an empty wallet and no keys; it replaces one with the same id. */
  restore(stored: StoredClient): Client {
    const client: Client = { ...stored, wallet: new Wallet(stored.clientId), keys: new Map() };
    const at = this.list.findIndex(({ clientId }) => clientId === client.clientId);
    if (at < 0) this.list.push(client);
    else this.list[at] = client;
    return client;
  }

  /** A new secret key: client_id and public key stay, the old secret stops working. */
  rotateSecretKey(client: Client): void {
    client.rotations += 1;
    client.secretKey = this.#ids.apiKey(keyPrefixes.secret, client.clientId, client.rotations);
    client.revoked = client.revoked.filter((kind) => kind !== 'secret');
  }
}

/** The transaction that an entry belongs to. */
interface Cause {
  readonly idempotency_key: string;
  readonly reference: string;
}

/** The balance moves only together with a ledger entry. Kobo internally, NGN in everything shown. */
export class Wallet implements SandboxWallet {
  readonly clientId: string;
  #balanceKobo = 0;
  #ledger: LedgerEntry[] = [];

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  get balance(): number {
    return toNaira(this.#balanceKobo);
  }

  get ledger(): readonly LedgerEntry[] {
    return this.#ledger;
  }

  toJSON(): SandboxWallet {
    return { clientId: this.clientId, balance: this.balance, ledger: this.ledger };
  }

  covers(naira: number): boolean {
    return toKobo(naira) <= this.#balanceKobo;
  }

  fund(naira: number, at: Date): LedgerEntry {
    return this.#enter('funding', naira, undefined, at);
  }

  debit(naira: number, cause: Cause, at: Date): LedgerEntry {
    return this.#enter('debit', naira, cause, at);
  }

  refund(naira: number, cause: Cause, at: Date): LedgerEntry {
    return this.#enter('refund', naira, cause, at);
  }

  /** Adds an entry that was made before. */
  restore(entry: LedgerEntry): void {
    this.#balanceKobo = toKobo(entry.balance);
    this.#ledger.push(entry);
  }

  #enter(kind: LedgerEntry['kind'], naira: number, cause: Cause | undefined, at: Date): LedgerEntry {
    const kobo = toKobo(naira);
    this.#balanceKobo += kind === 'debit' ? -kobo : kobo;
    const entry: LedgerEntry = {
      kind,
      amount: toNaira(kobo),
      balance: this.balance,
      idempotency_key: cause?.idempotency_key,
      reference: cause?.reference,
      at,
    };
    this.#ledger.push(entry);
    return entry;
  }
}

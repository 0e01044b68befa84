import type { OperationName } from '../../contract/operations.js';
import type { FaultOptions } from '../lab/fault-options.js';
import type { SandboxWarning } from '../lab/warnings.js';

/** A request that reached the sandbox, and how it ended, as `sandbox.requests` shows it. */
export interface SandboxRequest {
  /** Counts from 1. */
  readonly id: number;
  /** When it arrived, by the sandbox's clock. */
  readonly at: Date;
  /** The address it came from: the socket's, or the first of `X-Forwarded-For`. */
  readonly ip: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path, prefix included. */
  readonly path: string;
  /** The query parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers in lower case; of the bearer key only the prefix is kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON body, else its text; undefined without one. */
  readonly body: unknown;
  /** Which of the 13 calls it is; undefined for other paths. */
  readonly operation: OperationName | undefined;
  /** The client_id that it claimed. */
  readonly clientId: string | undefined;
  /** The idempotency_key that it carried. */
  readonly idempotency_key: string | undefined;
  /** The transaction that it bought, repeated or looked up. */
  readonly reference: string | undefined;
  /** Whether it repeated a key that was used already, and so charged nothing. */
  readonly replayed: boolean;
  /** The fault that met it. */
  readonly fault: FaultOptions | undefined;
  /** Mistakes that were tolerated, because the service's documents do not refuse them. */
  readonly warnings: readonly SandboxWarning[];
  /** Whether the caller got the whole response, a part of it, or a closed connection. */
  readonly outcome: 'complete' | 'cut' | 'closed';
  /** The response that was made, whether or not it came through; undefined where the connection closed before one was. */
  readonly response:
    | {
        /** The HTTP status. */
        readonly status: number;
        /** Headers in lower case. */
        readonly headers: Readonly<Record<string, string>>;
        /** The JSON value or text; a webhook secret is masked. */
        readonly body: unknown;
      }
    | undefined;
  /** From arrival to response, in ms by the sandbox's clock. */
  readonly durationMs: number;
}

/** How many requests are kept at least, unless their bodies are large. */
const kept = 10_000;

/** How many characters of bodies are kept at most, over all requests. */
const maxBodyLength = 16 * 1024 * 1024;

type RelatedIds = Pick<SandboxRequest, 'reference' | 'clientId' | 'idempotency_key'>;

/** What a request is found by: its transaction, else the client and the key, because a refused purchase has no transaction. */
function relationOf({ reference, clientId, idempotency_key }: Partial<RelatedIds>): string | undefined {
  if (reference !== undefined) return reference;
  return idempotency_key === undefined ? undefined : JSON.stringify([clientId, idempotency_key]);
}

/** The last requests, oldest first. */
export class RequestLog {
  readonly list: SandboxRequest[] = [];
  readonly #related = new Map<string, SandboxRequest[]>();
  /** The length of each request's body as it arrived. */
  readonly #lengths: number[] = [];
  #length = 0;
  #lastId = 0;

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** One that is still kept; ids count up without gaps. */
  get(id: number): SandboxRequest | undefined {
    return this.list[id - (this.list[0]?.id ?? 0)];
  }

  /** What is logged of a transaction: its purchase with every repeat of the key, refused ones included, and its lookups. */
  of({ reference, clientId, idempotency_key }: RelatedIds): readonly SandboxRequest[] {
    const relations = [relationOf({ reference }), relationOf({ clientId, idempotency_key })];
    const found = relations.flatMap((relation) => this.#related.get(relation ?? '') ?? []);
    return found.sort((a, b) => a.id - b.id);
  }

  /** @param bodyLength - of the body as it arrived. */
  add(request: SandboxRequest, bodyLength: number): void {
    this.list.push(request);
    const relation = relationOf(request);
    if (relation !== undefined) {
      const related = this.#related.get(relation);
      if (related) related.push(request);
      else this.#related.set(relation, [request]);
    }
    this.#lengths.push(bodyLength);
    this.#length += bodyLength;
    if (this.list.length >= 2 * kept) this.#drop(this.list.length - kept);
    while (this.#length > maxBodyLength && this.list.length > 1) this.#drop(Math.ceil(this.list.length / 2));
  }

  #drop(count: number): void {
    for (const request of this.list.splice(0, count)) {
      const relation = relationOf(request) ?? '';
      const related = this.#related.get(relation);
      // The oldest request of all is the oldest one of its relation.
      if (related?.shift() && related.length === 0) this.#related.delete(relation);
    }
    for (const length of this.#lengths.splice(0, count)) this.#length -= length;
  }
}

/** Headers as they may be shown. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { authorization } = headers;
  if (authorization === undefined) return headers;
  const prefix = /^Bearer ((?:sk|pk)_)/i.exec(authorization)?.[1] ?? '';
  return { ...headers, authorization: `Bearer ${prefix}…` };
}

import { readProperty } from '../../utils/unknown.js';
import type { SandboxRefusal, SandboxRequest } from './objects.js';

/** How many requests are kept at least, unless they are large. */
const kept = 10_000;

/** How many characters of requests and their responses are kept at most. */
const maxLength = 32 * 1024 * 1024;

/** How many refused purchases are kept. */
const maxRefusals = 1000;

type RelatedIds = Pick<SandboxRequest, 'reference' | 'clientId' | 'idempotency_key'>;

/** What a request is found by: its transaction, else the client and the key, because a refused purchase has no transaction. */
function relationOf({ reference, clientId, idempotency_key }: Partial<RelatedIds>): string | undefined {
  if (reference !== undefined) return reference;
  return idempotency_key === undefined ? undefined : JSON.stringify([clientId, idempotency_key]);
}

/** The last requests, and the last purchases among them that bought nothing, oldest first. */
export class RequestLog {
  readonly list: SandboxRequest[] = [];
  readonly refusals: SandboxRefusal[] = [];
  /** How many purchases were refused in all. */
  refused = 0;
  readonly #related = new Map<string, SandboxRequest[]>();
  readonly #lengths: number[] = [];
  #length = 0;
  #lastId = 0;

  /** The id of a request that arrives: ids count up in the order of arrival. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** One that is still kept. */
  get(id: number): SandboxRequest | undefined {
    const found = this.list[this.#placeOf(id) - 1];
    return found?.id === id ? found : undefined;
  }

  /** How many have this id or a smaller one. */
  #placeOf(id: number): number {
    let [low, high] = [0, this.list.length];
    // Most are asked for or added at the end.
    if ((this.list.at(-1)?.id ?? 0) <= id) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list[middle]?.id ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What is logged of a transaction: its purchase with every repeat of the key, refused ones included, and its status checks. */
  of({ reference, clientId, idempotency_key }: RelatedIds): readonly SandboxRequest[] {
    const relations = [relationOf({ reference }), relationOf({ clientId, idempotency_key })];
    const found = relations.flatMap((relation) => this.#related.get(relation ?? '') ?? []);
    return found.sort((a, b) => a.id - b.id);
  }

  /**
   * Adds a request that has ended, at its place by the time when it arrived.
   *
   * @param bodyLength - of the body as it arrived.
   * @param transactions - how many there are.
   */
  add(request: SandboxRequest, bodyLength: number, transactions: number): void {
    const at = this.#placeOf(request.id);
    this.list.splice(at, 0, request);
    const relation = relationOf(request);
    if (relation !== undefined) {
      const related = this.#related.get(relation);
      if (related) related.push(request);
      else this.#related.set(relation, [request]);
    }
    const refusal = refusalOf(request, transactions);
    if (refusal) {
      this.refused += 1;
      this.refusals.push(refusal);
      if (this.refusals.length > maxRefusals) this.refusals.shift();
    }
    const length = lengthOf(request, bodyLength);
    this.#lengths.splice(at, 0, length);
    this.#length += length;
    if (this.list.length >= 2 * kept) this.#drop(this.list.length - kept);
    while (this.#length > maxLength && this.list.length > 1) this.#drop(Math.ceil(this.list.length / 2));
  }

  #drop(count: number): void {
    for (const request of this.list.splice(0, count)) {
      const relation = relationOf(request) ?? '';
      const related = this.#related.get(relation);
      if (related?.length === 1) this.#related.delete(relation);
      else related?.splice(related.indexOf(request), 1);
    }
    for (const length of this.#lengths.splice(0, count)) this.#length -= length;
  }
}

/** Roughly how many characters a request takes. A response quotes its path or its body at most once. */
function lengthOf({ path, query, headers }: SandboxRequest, bodyLength: number): number {
  let length = 2 * (path.length + bodyLength);
  for (const fields of [query, headers]) {
    for (const name in fields) length += name.length + (fields[name]?.length ?? 0);
  }
  return length;
}

/** A refused purchase; undefined for every other request. A key in flight is no refusal: its first request has a row of its own. */
function refusalOf(request: SandboxRequest, position: number): SandboxRefusal | undefined {
  const { id, at, clientId, operation, idempotency_key, reference, response, body } = request;
  if (!operation?.endsWith('.purchase') || reference !== undefined) return undefined;
  if (response && (response.status < 400 || response.status === 409)) return undefined;
  const text = (name: string, from: unknown = body, most = 200) => {
    const value = readProperty(from, name);
    return typeof value === 'string' || typeof value === 'number' ? cut(String(value), most) : undefined;
  };
  const amount = readProperty(body, 'amount');
  const errors = Object.entries(readProperty(response?.body, 'errors') ?? {});
  const fields = errors.map(([field, problem]) => `${field}: ${problem}`);
  return {
    requestId: id,
    at,
    clientId: clientId && cut(clientId, 200),
    operation,
    biller: text('biller'),
    recipient: text('recipient'),
    product_code: text('product_code'),
    amount: typeof amount === 'number' ? amount : undefined,
    idempotency_key: idempotency_key && cut(idempotency_key, 200),
    status: response?.status,
    code: text('code', response?.body),
    reason: cut(
      fields.join('; ') ||
        (text('message', response?.body, 500) ??
          (response
            ? 'a response without a message'
            : 'the connection closed before the purchase was processed')),
      500,
    ),
    fields: errors.map(([field]) => field),
    position,
  };
}

/** The beginning of a text, as a text of its own: a short piece of a long one would keep all of it in memory. */
const cut = (text: string, length: number): string =>
  text.length <= length
    ? text
    : new TextDecoder().decode(new TextEncoder().encode(`${text.slice(0, length - 1)}…`));

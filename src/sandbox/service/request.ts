import { type Operation, type OperationName, operations } from '../../contract/operations.js';
import { isRecord } from '../../utils/unknown.js';
import { hasCatalogue } from './catalogue.js';

/** An endpoint under one of the two prefixes. */
export interface Route {
  readonly name: OperationName;
  readonly operation: Operation;
  /** The parameters that the service knows; others are ignored. */
  readonly fields: readonly string[];
}

/** The current prefix of every documented endpoint. */
export const currentPrefix = '/api/v1';

/** Deprecated and no complete mirror: the catalogues are not there (docs/service.md, "Versioning", rules 3 and 4). */
const olderPrefix = '/v1';

const operationNames = Object.keys(operations).filter((name): name is OperationName => name in operations);

const isCatalogue = ({ method, product }: Operation): boolean =>
  method === 'GET' && product !== undefined && hasCatalogue(product);

/** The endpoints by their path, whatever the method. */
const routes = new Map<string, Route>();
for (const name of operationNames) {
  const operation: Operation = operations[name];
  const route: Route = { name, operation, fields: Object.keys(operation.paramsSchema().shape) };
  routes.set(currentPrefix + operation.path, route);
  if (!isCatalogue(operation)) routes.set(olderPrefix + operation.path, route);
}

/** A request as the service reads it. Nothing in it has been checked. */
export interface ParsedRequest {
  readonly method: string;
  /** Without origin and query. */
  readonly path: string;
  /** Of a parameter that is given more than once, the first value counts. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sender's address. `X-Forwarded-For` speaks for callers behind a proxy, and lets a test come from any address. */
  readonly ip: string;
  readonly route: Route | undefined;
  readonly token: string | undefined;
  /** The parsed body, else its text (also where it is nested too deeply); undefined without one. */
  readonly body: unknown;
  readonly bodyLength: number;
  /** Query parameters or body fields; undefined where a body is no JSON object. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly clientId: string | undefined;
  readonly recipient: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly operation: OperationName | undefined;
}

/** The bearer token of an Authorization header; undefined where it is missing or malformed. */
const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];

const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const numberText = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : undefined;

function parse(body: string): unknown {
  if (body === '') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isNestedTooDeeply(value) ? body : value;
  } catch {
    return body;
  }
}

/** Deeper values are not read: what is logged is written as JSON again, which takes stack for each level. */
export function isNestedTooDeeply(value: unknown, depth = 100): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isNestedTooDeeply(inner, depth - 1));
}

/** Reads a request without checking it. */
export function parseRequest(
  { method, url, headers: given }: Pick<Request, 'method' | 'url'> & { headers: Iterable<[string, string]> },
  text: string,
  address: string,
): ParsedRequest {
  const { pathname: path, search, searchParams } = new URL(url);
  const query = search === '' ? {} : Object.fromEntries([...searchParams].reverse());
  const headers = Object.fromEntries(given);
  const route = routes.get(path);
  const body = parse(text);
  const own = method === 'GET' ? query : (body ?? {});
  const fields = isRecord(own) ? own : undefined;
  return {
    method,
    path,
    query,
    headers,
    ip: headers['x-forwarded-for']?.split(',')[0]?.trim() || address,
    route,
    token: bearerToken(headers['authorization']),
    body,
    bodyLength: text.length,
    fields,
    clientId: optionalText(fields?.['client_id']),
    recipient: optionalText(fields?.['recipient']) ?? numberText(fields?.['recipient']),
    idempotencyKey: optionalText(fields?.['idempotency_key']),
    operation: route?.operation.method === method ? route.name : undefined,
  };
}

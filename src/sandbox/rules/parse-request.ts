import type { OperationName } from '../../contract/operations.js';
import { isRecord } from '../../utils/is-record.js';
import { type Route, routeAt } from './routes.js';

/** One HTTP request, whatever it came over. */
export interface HttpRequest {
  readonly method: string;
  /** Without origin and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The sender's address. */
  readonly ip: string;
}

/** The path and the query of a URL. Of a parameter that is given more than once, the first value counts. */
export const targetOf = (url: URL): Pick<HttpRequest, 'path' | 'query'> => ({
  path: url.pathname,
  query: url.search === '' ? {} : Object.fromEntries([...url.searchParams].reverse()),
});

/** A request as the service reads it. Nothing in it has been checked. */
export interface ParsedRequest {
  /** As it arrived. */
  readonly http: HttpRequest;
  readonly route: Route | undefined;
  readonly token: string | undefined;
  /** `X-Forwarded-For` speaks for callers behind a proxy, and lets a test come from any address. */
  readonly ip: string;
  /** The parsed body, else its text (also where it is nested too deeply); undefined without one. */
  readonly body: unknown;
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

/** Deeper bodies are not read: what is logged is written as JSON again, which takes stack for each level. */
const maxDepth = 100;

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

function parse(body: string): unknown {
  if (body === '') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isDeeperThan(maxDepth, value) ? body : value;
  } catch {
    return body;
  }
}

/** Reads a request without checking it. */
export function parseRequest(request: HttpRequest): ParsedRequest {
  const route = routeAt(request.path);
  const body = parse(request.body);
  const fields = request.method === 'GET' ? request.query : isRecord(body ?? {}) ? (body ?? {}) : undefined;
  const given = isRecord(fields) ? fields : undefined;
  return {
    http: request,
    route,
    token: bearerToken(request.headers['authorization']),
    ip: request.headers['x-forwarded-for']?.split(',')[0]?.trim() || request.ip,
    body,
    fields: given,
    clientId: optionalText(given?.['client_id']),
    recipient: optionalText(given?.['recipient']) ?? numberText(given?.['recipient']),
    idempotencyKey: optionalText(given?.['idempotency_key']),
    operation: route?.operation.method === request.method ? route.name : undefined,
  };
}

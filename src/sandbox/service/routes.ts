import { type Operation, type OperationName, operations } from '../../contract/operations.js';
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

const routes = new Map<string, Route>();
for (const name of operationNames) {
  const operation: Operation = operations[name];
  const route: Route = { name, operation, fields: Object.keys(operation.paramsSchema().shape) };
  routes.set(currentPrefix + operation.path, route);
  if (!isCatalogue(operation)) routes.set(olderPrefix + operation.path, route);
}

/** The endpoint at a path, whatever the method; undefined where there is none. */
export const routeAt = (path: string): Route | undefined => routes.get(path);

/** Whether a name is one of the 13 operations. */
export const isOperationName = (name: unknown): name is OperationName =>
  operationNames.some((known) => known === name);

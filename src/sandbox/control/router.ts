import { accountRoutes } from './accounts.js';
import { environmentRoutes } from './environment.js';
import { relayRoutes } from './relay-routes.js';
import { requestRoutes } from './requests.js';
import type { ControlRoute } from './route.js';
import { salesRoutes } from './transactions.js';

/** All routes of the control API but the event stream and the OpenAPI document, which are not JSON resources. */
export const controlRoutes: readonly ControlRoute[] = [
  ...salesRoutes,
  ...requestRoutes,
  ...accountRoutes,
  ...relayRoutes,
  ...environmentRoutes,
];

/** A route and the values of its path's names. */
export interface RouteMatch {
  readonly route: ControlRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Compiled {
  readonly route: ControlRoute;
  readonly parts: readonly string[];
}

const compiled: readonly Compiled[] = controlRoutes.map((route) => ({
  route,
  parts: route.path.slice(1).split('/'),
}));

const isName = (part: string): boolean => part.startsWith('{');

/** The names' values, or undefined where the path is another one. */
function paramsOf(parts: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const value = path[at] ?? '';
    if (isName(part)) params[part.slice(1, -1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** Literal segments take precedence over parameters: `/deliveries/corrupt` is not a delivery. */
const fixedParts = ({ parts }: Compiled): number => parts.filter((part) => !isName(part)).length;
const byFixedParts = [...compiled].sort((a, b) => fixedParts(b) - fixedParts(a));

/** A part of a path without its percent codes; unchanged where they cannot be read. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The route for a method and a path below `/_sandbox`; else the methods that the path has, which may be none. */
export function matchRoute(method: string, path: string): RouteMatch | { readonly allow: readonly string[] } {
  const parts = path.slice(1).split('/').map(decoded);
  const allow = new Set<string>();
  for (const { route, parts: pattern } of byFixedParts) {
    const params = paramsOf(pattern, parts);
    if (!params) continue;
    if (route.method === method) return { route, params };
    allow.add(route.method);
  }
  return { allow: [...allow] };
}

import { clientRoutes } from './clients.js';
import { environmentRoutes } from './environment.js';
import { requestRoutes } from './requests.js';
import type { ControlRoute } from './route.js';
import { streamRoutes } from './streams.js';
import { transactionRoutes } from './transactions.js';

/** All routes of the control API but its own description. Of two that match a path, the first one serves it. */
export const controlRoutes: readonly ControlRoute[] = [
  ...transactionRoutes,
  ...requestRoutes,
  ...clientRoutes,
  ...streamRoutes,
  ...environmentRoutes,
];

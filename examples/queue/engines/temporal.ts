import { proxyActivities, sleep } from '@temporalio/workflow';
import type * as activities from './step.js';

const { continueOrder } = proxyActivities<typeof activities>({ startToCloseTimeout: '3 minutes' });

/** Started with the id of the order as its workflow id, when the order is placed. */
export async function orderWorkflow(id: string): Promise<void> {
  for (let wait = await continueOrder(id); wait !== null; wait = await continueOrder(id)) await sleep(wait);
}

import { DBOS } from '@dbos-inc/dbos-sdk';
import { continueOrder } from './step.js';

/** Started by `DBOS.startWorkflow(followOrder, { workflowID: id })(id)`, when the order is placed. */
export const followOrder = DBOS.registerWorkflow(
  async (id: string) => {
    const step = () => DBOS.runStep(() => continueOrder(id), { name: 'continue', retriesAllowed: true });
    for (let wait = await step(); wait !== null; wait = await step()) await DBOS.sleep(wait);
  },
  { name: 'followOrder' },
);

import { Inngest } from 'inngest';
import { continueOrder } from './step.js';

const inngest = new Inngest({ id: 'shop' });

/** Runs for `inngest.send({ name: 'order/placed', data: { id } })`; one step an event, so that no run becomes long. */
export const followOrder = inngest.createFunction(
  { id: 'follow-order', triggers: [{ event: 'order/placed' }] },
  async ({ event, step }) => {
    const wait = await step.run('continue', () => continueOrder(event.data['id']));
    if (wait === null) return;
    await step.sleep('wait', wait);
    await step.sendEvent('again', { name: 'order/placed', data: event.data });
  },
);

import { Hono } from 'hono/tiny';
import { version } from '../../version.js';
import { checkFault } from '../lab/fault-options.js';
import { triggers } from '../lab/triggers.js';
import { checkedPrice } from '../schemas/catalogue-options.js';
import { duration, naira } from '../schemas/fields.js';
import { currentPrefix } from '../service/request.js';
import type { Sandbox } from '../types.js';
import type { Clock, Summary } from './types.js';
import { body, checkedBy, found, noBody } from './validate.js';

/** Everything around the service: faults, the clock, prices, the audit, and the sandbox itself. */

export function environmentRoutes(sandbox: Sandbox): Hono {
  const runId = crypto.randomUUID();
  const done = { ok: true } as const;
  const clock = (): Clock => ({ kind: sandbox.clock, now: sandbox.now, nextEvent: sandbox.nextEvent });
  return (
    new Hono()
      .get('/summary', (c) => {
        const { seed, counts, clients } = sandbox;
        const baseUrl = `http://${c.req.header('host')}${currentPrefix}`;
        const faults = sandbox.faults.active;
        const summary: Summary = { version, runId, baseUrl, seed, clock: clock(), counts, clients, faults };
        return c.json(summary);
      })
      // Responds when no webhook is being sent. What is scheduled for later is not waited for.
      .post('/idle', noBody, async (c) => {
        await sandbox.idle();
        return c.json(done);
      })
      .get('/faults', (c) => c.json(sandbox.faults.active))
      .post('/faults', checkedBy(checkFault), (c) => c.json(sandbox.faults.add(c.req.valid('json'))))
      .delete('/faults', (c) => {
        sandbox.faults.clear();
        return c.json(done);
      })
      .delete('/faults/:id', (c) => {
        const id = c.req.param('id');
        const fault = sandbox.faults.active.find((one) => String(one.id) === id);
        found(fault, `Fault ${id} is not active: it is used up, or was removed.`).remove();
        return c.json(done);
      })
      .get('/clock', (c) => c.json(clock()))
      // Each of these responds when everything that fell due is done, deliveries included.
      .post(
        '/clock/advance',
        body({ by: duration('Such as 5m, 90s, 250ms, or ms as a number.') }),
        async (c) => {
          await sandbox.advance(c.req.valid('json').by);
          return c.json(clock());
        },
      )
      .post('/clock/next', noBody, async (c) => {
        await sandbox.advanceToNext();
        return c.json(clock());
      })
      .post('/clock/run', noBody, async (c) => {
        await sandbox.runUntilIdle();
        return c.json(clock());
      })
      .get('/catalogue', (c) => c.json(sandbox.catalogue))
      .put(
        '/catalogue/:product/:biller/:product_code',
        body({ amount: naira('The new price in NGN.') }),
        (c) => {
          const price = checkedPrice({ ...c.req.param(), ...c.req.valid('json') });
          sandbox.setPrice(price);
          return c.json(price);
        },
      )
      .get('/triggers', (c) => c.json(triggers))
      .get('/audit', (c) => c.json(sandbox.audit()))
      .post('/reset', noBody, (c) => {
        sandbox.reset();
        return c.json(done);
      })
  );
}

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeTransport } from '../../src/node/index.js';
import { clientAt } from '../support/script.js';
import { acceptance, order } from '../support/socket-faults.js';
import { leavingNothing } from '../support/sockets.js';

/** What a server does with one request that it has read whole, and charged. */
const fates = [
  'answer',
  'answer, then close',
  'answer, then close soon',
  'answer, then reset soon',
  'answer, then a 408 soon',
  'close',
  'reset',
  'cut the answer',
  'say nothing',
] as const;

const call = fc.record({
  fate: fc.constantFrom(...fates),
  /** ms until the caller gives up; most have time. */
  patience: fc.oneof({ weight: 4, arbitrary: fc.constant(60) }, { weight: 1, arbitrary: fc.nat(3) }),
  abort: fc.boolean(),
});

const idle = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

it('never says of a charged purchase that it cannot have been charged, whatever the sockets do', async () => {
  let unsent = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 30, maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      async (calls, concurrency, bounded) => {
        const charged = new Set<string>();
        const notCharged: string[] = [];
        await leavingNothing(async (net) => {
          const server = await net.http((request, response) => {
            const { idempotency_key: key } = JSON.parse(request.body);
            charged.add(key);
            const { socket } = request;
            const fate = calls[Number(key)]?.fate ?? 'answer';
            if (fate === 'say nothing') return;
            if (fate === 'close') socket.destroy();
            else if (fate === 'reset') socket.resetAndDestroy();
            else if (fate === 'cut the answer') {
              response.writeHead(202, { 'content-length': acceptance.length }).write(acceptance.slice(0, 50));
              setImmediate(() => socket.destroy());
            } else {
              response.writeHead(202, { 'content-length': acceptance.length }).end(acceptance);
              if (fate === 'answer, then close') socket.destroySoon();
              if (fate.endsWith('close soon')) setImmediate(() => socket.destroy());
              if (fate.endsWith('reset soon')) setImmediate(() => socket.resetAndDestroy());
              if (fate.endsWith('408 soon')) setImmediate(() => socket.end(idle));
            }
          });
          const transport = nodeTransport(bounded ? { maxSockets: 2 } : {});
          const billpay = clientAt(server.baseUrl, { transport });
          let next = 0;
          const worker = async () => {
            for (let at = next++; at < calls.length; at = next++) {
              const { patience = 60, abort } = calls[at] ?? {};
              const how = abort ? { signal: AbortSignal.timeout(patience) } : { timeout: patience + 1 };
              const key = String(at);
              const sold = await billpay.airtime.purchase({ ...order, idempotency_key: key }, how).then(
                () => 'sold',
                ({ mayHaveCharged }) => (mayHaveCharged ? 'in doubt' : 'not charged'),
              );
              if (sold === 'sold') expect(charged).toContain(key);
              if (sold === 'not charged') notCharged.push(key);
            }
          };
          await Promise.all(Array.from({ length: concurrency }, worker));
        });
        // Only now has everything arrived that was ever going to.
        expect(notCharged.filter((key) => charged.has(key))).toEqual([]);
        unsent += notCharged.length;
      },
    ),
    { numRuns: 15 },
  );
  console.log(`honesty: ${unsent} purchases never left`);
  expect(unsent).toBeGreaterThan(0);
}, 60_000);

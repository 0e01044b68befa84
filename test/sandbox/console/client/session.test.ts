import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../../../../src/sandbox/console/client/api.js';
import { followEvents } from '../../../../src/sandbox/console/client/events.js';
import { parsePlace, placeLink } from '../../../../src/sandbox/console/client/location.js';
import type { Client } from '../../../../src/sandbox/console/client/resources.js';
import { changedFaults, createSession } from '../../../../src/sandbox/console/client/session.js';
import { controlled } from '../../control/support.js';
import { airtime, call } from '../../support.js';

const ledgerEntry = {
  kind: 'funding',
  amount: 1,
  balance: 1,
  idempotency_key: null,
  reference: null,
  at: '2026-01-31T09:30:00.000Z',
} as const;

/** A page's session with a sandbox, connected until the test ends. */
async function connected() {
  const control = await controlled();
  const api = createApi({ root: `${control.origin}/_sandbox` });
  const session = createSession(api);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void followEvents(api, session.receive, stop.signal);
  await expect.poll(() => session.loaded.value).toBeDefined();
  return { ...control, session };
}

test('what is loaded is kept up to date by events', async () => {
  const { sandbox, session } = await connected();
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await expect.poll(() => session.loaded.value?.clients[0]?.balance).toBe(99_500);
  await expect.poll(() => session.summary.value?.audit.debits).toBe(1);
  expect(session.summary.value?.transactions).toMatchObject({ total: 1, pending: 1 });
  sandbox.client().update({ suspended: true });
  await expect.poll(() => session.loaded.value?.clients[0]?.suspended).toBe(true);
  const fault = sandbox.faults.add({ status: 503 });
  await expect.poll(() => session.loaded.value?.faults.length).toBe(1);
  fault.remove();
  await expect.poll(() => session.loaded.value?.faults).toEqual([]);
  sandbox.setPrice({ product: 'data', biller: 'MTN', product_code: 'MTN-2GB-1D', amount: 1 });
  await expect.poll(() => session.loaded.value?.catalogue.data?.['MTN']?.[0]?.amount).toBe(1);
  await sandbox.advance('1h');
  await expect.poll(() => session.summary.value?.clock.now).toBe(sandbox.now.toISOString());
  expect(session.now.value).toBe(sandbox.now.getTime());
  expect(session.today.value).toBe('2026-01-31');
  await session.moveClock('advance', { by: '24h' });
  expect(session.today.value).toBe('2026-02-01');
  const heard: string[] = [];
  const stop = session.onEvent(({ type }) => heard.push(type));
  sandbox.reset();
  await expect.poll(() => heard).toContain('reloaded');
  stop();
  sandbox.client().fund(1);
  await expect.poll(() => session.loaded.value?.clients[0]?.balance).toBe(100_001);
  expect(heard).not.toContain('wallet');
});

test('what was read before something happened, and arrives after it, does not undo it', async () => {
  const { sandbox, origin } = await controlled();
  const api = createApi({ root: `${origin}/_sandbox` });
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const get: typeof api.get = async <T>(path: string) => {
    const read = await api.get<T>(path);
    await arrival;
    return read;
  };
  const session = createSession({ ...api, get });
  session.receive({ connection: 'live' });
  const { client_id } = (await api.get<{ data: Client[] }>('/clients')).data[0] ?? {};
  const entry = { ...ledgerEntry, balance: 7 };
  session.receive({ event: { type: 'wallet', client_id: client_id ?? '', entry } });
  arrive();
  await expect.poll(() => session.loaded.value?.clients[0]?.balance).toBe(7);
  // The next one is read after it.
  sandbox.client().fund(1);
  session.receive({ event: { type: 'client', client_id: client_id ?? '' } });
  await expect.poll(() => session.loaded.value?.clients[0]?.balance).toBe(100_001);
});

test('a restarted sandbox is noticed, and everything is read again', async () => {
  const { sandbox, origin, session } = await connected();
  const { port } = new URL(origin);
  const runId = session.loaded.value?.info.run_id;
  await sandbox.close();
  await expect.poll(() => session.connection.value).toBe('lost');
  await controlled({ balance: 7 }, { port: Number(port) });
  await expect.poll(() => session.loaded.value?.clients[0]?.balance).toBe(7);
  expect(session.loaded.value?.info.run_id).not.toBe(runId);
  expect(session.notices.value).toMatchObject([{ text: expect.stringContaining('restarted'), tone: 'good' }]);
  session.dismiss(session.notices.value[0]?.id ?? 0);
  expect(session.notices.value).toEqual([]);
});

test('faults change by what happened to them', () => {
  const fault = { id: 2, status: 503, remaining: 1, used: 0 };
  const other = { id: 3, status: 500, remaining: 'always', used: 0 } as const;
  const added = changedFaults([other], { type: 'fault', change: 'added', fault });
  expect(added.map(({ id }) => id)).toEqual([2, 3]);
  const spent = changedFaults(added, { type: 'fault', change: 'used', fault: { ...fault, remaining: 0 } });
  expect(spent).toEqual([other]);
  expect(changedFaults(spent, { type: 'fault', change: 'removed', fault: other })).toEqual([]);
});

test('a place is part of the address, and comes back from it', () => {
  const link = placeLink('requests', { client: 'shop a', q: 'order&1', state: '', product: undefined });
  expect(link).toBe('#requests?client=shop+a&q=order%261');
  expect(parsePlace(link)).toEqual({ tab: 'requests', params: { client: 'shop a', q: 'order&1' } });
  expect(parsePlace('#transactions?state=&q=7')).toEqual({ tab: 'transactions', params: { q: '7' } });
  expect(placeLink('wallet', {})).toBe('#wallet');
  expect(parsePlace('#nowhere')).toEqual({ tab: 'transactions', params: {} });
  expect(parsePlace('')).toEqual({ tab: 'transactions', params: {} });
});

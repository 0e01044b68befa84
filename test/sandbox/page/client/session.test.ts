import { expect, onTestFinished, test } from 'vitest';
import { createControlClient } from '../../../../src/sandbox/control/client.js';
import { followChanges, followWhileVisible } from '../../../../src/sandbox/page/client/changes.js';
import { parsePlace, placeLink } from '../../../../src/sandbox/page/client/location.js';
import { createSession, latest } from '../../../../src/sandbox/page/client/session.js';
import { type Control, controlled } from '../../control/support.js';
import { airtime, call } from '../../support.js';

/** A page's session with a sandbox, connected until the test ends. */
async function connected(control: Pick<Control, 'origin' | 'token'>) {
  const api = createControlClient({ origin: control.origin, token: () => control.token });
  const session = createSession(api);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const connection = (state: typeof session.connection.value) => {
    session.connection.value = state;
  };
  const following = followChanges(api, { connection, changed: session.changed }, stop.signal);
  return { session, following, stop };
}

test('what is in sight on every tab is read again when something changed', async () => {
  const control = await controlled();
  const { sandbox } = control;
  const { session } = await connected(control);
  await expect.poll(() => session.connection.value).toBe('live');
  await call(sandbox, 'POST', '/airtime/purchase', airtime('a'));
  await expect.poll(() => session.summary.value?.clients[0]?.balance).toBe(99_500);
  expect(session.summary.value?.counts.transactions).toMatchObject({ total: 1, pending: 1 });
  sandbox.faults.add({ status: 503 });
  await expect.poll(() => session.summary.value?.faults.length).toBe(1);
  await sandbox.advance('24h');
  await expect.poll(() => session.now.value).toBe(sandbox.now.getTime());
  expect(session.today.value).toBe('2026-02-01');
});

test('a restarted sandbox is noticed, and everything is read again', async () => {
  const control = await controlled();
  const { session } = await connected(control);
  await expect.poll(() => session.summary.value?.runId).toBeDefined();
  const runId = session.summary.value?.runId;
  await control.sandbox.close();
  await expect.poll(() => session.connection.value).toBe('lost');
  await controlled({ balance: 7 }, { port: Number(new URL(control.origin).port) });
  await expect.poll(() => session.summary.value?.clients[0]?.balance).toBe(7);
  expect(session.summary.value?.runId).not.toBe(runId);
  expect(session.notices.value).toMatchObject([{ text: expect.stringContaining('restarted'), tone: 'good' }]);
  session.dismiss(session.notices.value[0]?.id ?? 0);
  expect(session.notices.value).toEqual([]);
});

test('a wrong control token ends the listening, which it would not help to repeat', async () => {
  const { origin } = await controlled({}, { controlToken: 'a-token-of-enough-length' });
  const { session, following } = await connected({ origin, token: 'wrong' });
  await following;
  expect(session.connection.value).toBe('locked');
});

test('a hidden tab listens to nothing, and reads everything again when it is seen', async () => {
  let listener = () => {};
  const page = {
    hidden: true,
    addEventListener: (_: string, listen: () => void) => {
      listener = listen;
    },
  };
  const followed: AbortSignal[] = [];
  followWhileVisible(page as never, (stop) => followed.push(stop));
  expect(followed).toEqual([]);
  page.hidden = false;
  listener();
  listener();
  expect(followed.map(({ aborted }) => aborted)).toEqual([false]);
  page.hidden = true;
  listener();
  expect(followed[0]?.aborted).toBe(true);
  page.hidden = false;
  listener();
  expect(followed).toHaveLength(2);
});

test('what is asked for while it runs is run once more, and never twice at a time', async () => {
  let running = 0;
  let runs = 0;
  const ends: (() => void)[] = [];
  const run = latest(async () => {
    runs += 1;
    running += 1;
    expect(running).toBe(1);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
  });
  for (let times = 0; times < 5; times++) run();
  expect(runs).toBe(1);
  ends.shift()?.();
  await expect.poll(() => runs).toBe(2);
  ends.shift()?.();
  await expect.poll(() => running).toBe(0);
  expect(runs).toBe(2);
});

test('a place is part of the address, and comes back from it', () => {
  const link = placeLink('requests', { client: 'shop a', q: 'order&1', state: '', product: undefined });
  expect(link).toBe('#requests?client=shop+a&q=order%261');
  expect(parsePlace(link)).toEqual({ tab: 'requests', params: { client: 'shop a', q: 'order&1' } });
  expect(parsePlace('#purchases?state=&q=7')).toEqual({ tab: 'purchases', params: { q: '7' } });
  expect(placeLink('wallet', {})).toBe('#wallet');
  expect(parsePlace('#nowhere')).toEqual({ tab: 'purchases', params: {} });
});

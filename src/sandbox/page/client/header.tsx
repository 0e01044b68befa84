import type { AuditReport } from '../../lab/audit.js';
import { api, chosenClient, linkTo, place, session, useClient, useResource, useSummary } from './context.js';
import { faultSentence } from './fault-text.js';
import { Select } from './list.js';
import { type TabName, tabNames, tabs } from './location.js';
import { advanceClock, TurnOff } from './settings-tab.js';
import { StartCards } from './start.js';
import { inTime, naira, plural, type Worded } from './text.js';
import { Action, Copy, Dialog, Facts } from './widgets.js';

export function Header() {
  const { baseUrl, clients, clock } = useSummary();
  const { clientId, balance } = useClient();
  const [tone, connection] = connectionTexts[session.connection.value];
  return (
    <header class="top">
      <div class="bar">
        <h1>billpay</h1>
        <b class="badge wait chip">SANDBOX</b>
        <span class="soft address">
          <code>{baseUrl}</code>
          <Copy text={baseUrl} label="Copy base address" />
        </span>
        {clock.kind === 'manual' && <PausedClock />}
        <a class="balance" href={linkTo('wallet')} aria-label={`Balance of ${clientId}: ${naira(balance)}`}>
          {naira(balance)}
        </a>
        <Dialog opener="Audit" kind="quiet audit" title="Audit">
          <Audit />
        </Dialog>
        <span class={`connection ${tone}`} role="status">
          {connection}
        </span>
        <Dialog opener="Try it" kind="main" title="Try it" wide>
          <StartCards />
        </Dialog>
      </div>
      <div class="bar tabs">
        <nav aria-label="Sections">
          {tabNames.map((name) => {
            const note = tabNote(name);
            return (
              <a key={name} href={linkTo(name)} aria-current={name === place.value.tab ? 'page' : undefined}>
                {tabs[name]}
                {note?.tone === 'bad' ? ', ' : ' '}
                {note && (note.tone === 'bad' ? <b class="bad">{note.text}</b> : <small>{note.text}</small>)}
              </a>
            );
          })}
        </nav>
        {(clients.length > 1 || chosenClient()) && (
          <Select
            param="client"
            label="Client"
            all="All clients"
            options={Object.fromEntries(clients.map((client) => [client.clientId, client.clientId]))}
          />
        )}
      </div>
    </header>
  );
}

const connectionTexts = {
  connecting: ['wait', 'Connecting'],
  live: ['soft', 'Connected'],
  lost: ['bad', 'No connection'],
  locked: ['bad', 'Locked'],
} as const;

const countOf = (count: number, alarm?: string): Worded | undefined =>
  count === 0
    ? undefined
    : { text: `${count.toLocaleString('en')}${alarm ?? ''}`, tone: alarm === undefined ? 'plain' : 'bad' };

/** What a tab counts, or what of it needs a look. */
export function tabNote(tab: TabName): Worded | undefined {
  const summary = session.summary.value;
  if (!summary) return undefined;
  const { counts, faults } = summary;
  switch (tab) {
    case 'purchases':
      return countOf(counts.refused, ' refused') ?? countOf(counts.transactions.total);
    case 'webhooks':
      return countOf(counts.deliveries.failing, ' failing') ?? countOf(counts.deliveries.total);
    case 'requests':
      return countOf(counts.requests);
    case 'settings':
      return countOf(faults.length, ' on');
    default:
      return undefined;
  }
}

/** What a manual clock waits for, with the button that lets it go on. */
function PausedClock() {
  const { now, nextEvent } = useSummary().clock;
  if (nextEvent === undefined) return <span class="wait clock-state">clock paused, nothing is due</span>;
  return (
    <span class="wait clock-state">
      clock paused, next event {inTime(Date.parse(nextEvent) - Date.parse(now))},
      <Action
        kind="quiet"
        label="Advance the clock to the next event"
        run={() => advanceClock('next')}
        text="advance"
      />
    </span>
  );
}

/** What keeps the sandbox from behaving as usual, in sight on every tab. */
export function Banners() {
  const { faults } = useSummary();
  const [first, ...others] = faults;
  return (
    <div class="banners" aria-live="polite">
      {session.connection.value === 'lost' && (
        <p class="bar banner bad">
          <span>
            <b>The sandbox cannot be reached.</b> What is shown may be out of date. The page tries again every
            second.
          </span>
        </p>
      )}
      {first && (
        <p class="bar banner wait">
          <span>
            <b>{others.length === 0 ? 'Fault on:' : `${faults.length} faults on:`}</b> {faultSentence(first)}
            {others.length > 0 && `; and ${others.length} more`}
          </span>
          {others.length === 0 ? (
            <TurnOff fault={first} />
          ) : (
            <>
              <a href={linkTo('settings')}>See all</a>
              <Action
                label="Turn off all faults"
                run={() => api.send('DELETE', '/faults')}
                text="Turn off all"
              />
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** Whether the books balance; they are checked when this is opened. */
function Audit() {
  const { value: audit } = useResource<AuditReport>('/audit');
  if (!audit) return <p class="soft">Loading…</p>;
  const { ok, problems, transactions, debits, refunds, debited, refunded, balance } = audit;
  return (
    <>
      <p class={ok ? 'good' : 'bad'}>
        <b>
          {ok ? 'The books balance.' : `The books do not balance: ${plural(problems.length, 'problem')}.`}
        </b>
      </p>
      {ok && (
        <p class="soft">
          Every transaction was debited once, every failed transaction was refunded once, and every balance is
          the sum of its ledger.
        </p>
      )}
      <ul class="problem">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
      <Facts
        facts={{
          Transactions: transactions,
          Debited: `${naira(debited)}, ${plural(debits, 'debit')}`,
          Refunded: `${naira(refunded)}, ${plural(refunds, 'refund')}`,
          'In all wallets': naira(balance),
        }}
      />
    </>
  );
}

/** Messages; each goes away by itself. */
export function Notices() {
  return (
    <div class="notices" role="status">
      {session.notices.value.map(({ id, text, tone }) => (
        <p key={id} class={`bar ${tone}`}>
          <span>{text}</span>
          <Action kind="quiet" label="Dismiss" run={() => session.dismiss(id)} text="✕" />
        </p>
      ))}
    </div>
  );
}

import { faultSentence } from '../../words/faults.js';
import { inTime } from '../../words/webhooks.js';
import { api, linkTo, place, session, useLoaded } from './context.js';
import { TurnOff } from './faults-tab.js';
import { Select } from './list-tab.js';
import { type TabName, tabNames, tabs } from './location.js';
import type { Clock } from './resources.js';
import { StartCards } from './start.js';
import { naira, plural, type Worded } from './text.js';
import { Action, Copy, Dialog, Facts } from './widgets.js';

export function Header() {
  const { info, clients } = useLoaded();
  const clock = session.summary.value?.clock;
  const [tone, connection] = connectionTexts[session.connection.value];
  return (
    <header class="top">
      <div class="bar">
        <h1>billpay</h1>
        <b class="badge wait chip">SANDBOX</b>
        <span class="soft address">
          <code>{info.base_url}</code>
          <Copy text={info.base_url} label="Copy base address" />
        </span>
        {clock?.kind === 'manual' && <PausedClock {...clock} />}
        <AuditBadge />
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
        <Select
          param="client"
          label="Client"
          all="All clients"
          options={Object.fromEntries(clients.map(({ client_id }) => [client_id, client_id]))}
        />
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
  const { transactions, deliveries, requests, faults } = summary;
  switch (tab) {
    case 'transactions':
      return countOf(transactions.total);
    case 'webhooks':
      return countOf(deliveries.failing, ' failing') ?? countOf(deliveries.total);
    case 'requests':
      return countOf(requests);
    case 'faults':
      return countOf(faults, ' on');
    default:
      return undefined;
  }
}

/** What a manual clock waits for, with the button that lets it go on. */
function PausedClock({ now, next_event_at: next }: Clock) {
  if (next === null) return <span class="wait clock-state">clock paused, nothing is due</span>;
  return (
    <span class="wait clock-state">
      clock paused, next event {inTime(Date.parse(next) - Date.parse(now))},
      <Action
        kind="quiet"
        label="Advance the clock to the next event"
        run={() => session.moveClock('next')}
        text="advance"
      />
    </span>
  );
}

/** What keeps the sandbox from behaving as usual, in sight on every tab. */
export function Banners() {
  const { faults } = useLoaded();
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
              <a href={linkTo('faults')}>See all</a>
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

/** Whether the books balance; opens what the audit found. */
function AuditBadge() {
  const audit = session.summary.value?.audit;
  if (!audit) return null;
  const { ok, problems, transactions, debits, refunds, debited, refunded, balance } = audit;
  const title = ok ? 'Books balance' : 'Books do not balance';
  return (
    <Dialog
      opener={ok ? title : `${title}: ${plural(problems.length, 'problem')}`}
      kind={`badge ${ok ? 'soft' : 'bad'}`}
      title={title}
    >
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
    </Dialog>
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

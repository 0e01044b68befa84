import { useEffect, useRef } from 'preact/hooks';
import { faultSentence } from '../../words/faults.js';
import { inTime } from '../../words/webhooks.js';
import { linkTo, setParams, useLoaded, useSession } from './context.js';
import { TurnOff } from './faults-tab.js';
import { type Params, type TabName, tabs } from './location.js';
import type { Clock, Summary } from './resources.js';
import { naira, plural } from './text.js';
import { Action, Copy, Facts } from './widgets.js';

interface HeaderProps {
  readonly tab: TabName;
  readonly params: Params;
  readonly onTry: () => void;
}

export function Header({ tab, params, onTry }: HeaderProps) {
  const { info } = useLoaded();
  return (
    <header class="top">
      <div class="bar">
        <h1>billpay</h1>
        <span class="chip">SANDBOX</span>
        <span class="address">
          <code>{info.base_url}</code>
          <Copy text={info.base_url} label="Copy base address" />
        </span>
        <ClockState />
        <AuditBadge />
        <ConnectionMark />
        <button type="button" class="main" onClick={onTry}>
          Try it
        </button>
      </div>
      <div class="bar tabs">
        <Tabs tab={tab} />
        <ClientFilter client={params['client']} />
      </div>
    </header>
  );
}

/** What a tab counts, and what of it needs a look. */
export function tabCount(
  tab: TabName,
  { transactions, deliveries, requests, faults }: Summary,
): { readonly count?: string; readonly alarm?: string } {
  const number = (count: number) => (count === 0 ? {} : { count: count.toLocaleString('en') });
  switch (tab) {
    case 'transactions':
      return number(transactions.total);
    case 'webhooks':
      return deliveries.failing > 0
        ? { alarm: `${deliveries.failing.toLocaleString('en')} failing` }
        : number(deliveries.total);
    case 'requests':
      return number(requests);
    case 'faults':
      return faults > 0 ? { alarm: `${faults} on` } : {};
    default:
      return {};
  }
}

function Tabs({ tab }: { readonly tab: TabName }) {
  const summary = useSession().summary.value;
  return (
    <nav aria-label="Sections">
      {tabs.map(({ name, title }) => {
        const { count, alarm } = summary ? tabCount(name, summary) : {};
        return (
          <a key={name} href={linkTo(name)} aria-current={name === tab ? 'page' : undefined}>
            {title}
            {alarm !== undefined && <b class="bad">, {alarm}</b>}
            {count !== undefined && <small> {count}</small>}
          </a>
        );
      })}
    </nav>
  );
}

function ClientFilter({ client }: { readonly client: string | undefined }) {
  const { clients } = useLoaded();
  return (
    <select
      aria-label="Client"
      value={client ?? ''}
      onChange={(event) => setParams({ client: event.currentTarget.value })}
    >
      <option value="">All clients</option>
      {clients.map(({ client_id }) => (
        <option key={client_id} value={client_id}>
          {client_id}
        </option>
      ))}
    </select>
  );
}

const connectionTexts = {
  connecting: ['wait', 'Connecting'],
  live: ['soft', 'Connected'],
  lost: ['bad', 'No connection'],
  locked: ['bad', 'Locked'],
} as const;

function ConnectionMark() {
  const [tone, text] = connectionTexts[useSession().connection.value];
  return (
    <span class={`connection ${tone}`} role="status">
      {text}
    </span>
  );
}

/** What a manual clock waits for, with the button that lets it go on. */
function ClockState() {
  const session = useSession();
  const clock = session.summary.value?.clock;
  if (clock?.kind !== 'manual') return null;
  const next = clock.next_event_at;
  const advance = async () => session.clockMoved(await session.api.post<Clock>('/clock/next'));
  return (
    <span class="wait clock-state">
      {next === null
        ? 'clock paused, nothing is due'
        : `clock paused, next event ${inTime(Date.parse(next) - Date.parse(clock.now))},`}
      {next !== null && (
        <Action kind="quiet" label="Advance the clock to the next event" run={advance}>
          advance
        </Action>
      )}
    </span>
  );
}

/** What keeps the sandbox from behaving as usual, in sight on every tab. */
export function Banners() {
  const session = useSession();
  const { faults } = useLoaded();
  const [first] = faults;
  return (
    <div class="banners" aria-live="polite">
      {session.connection.value === 'lost' && (
        <p class="banner bad">
          <span>
            <b>The sandbox cannot be reached.</b> What is shown may be out of date. The page tries again every
            second.
          </span>
        </p>
      )}
      {first && (
        <p class="banner wait">
          <span>
            <b>{faults.length === 1 ? 'Fault on:' : `${faults.length} faults on:`}</b> {faultSentence(first)}
            {faults.length > 1 && `; and ${faults.length - 1} more`}
          </span>
          {faults.length === 1 ? (
            <TurnOff fault={first} />
          ) : (
            <>
              <a href={linkTo('faults')}>See all</a>
              <Action label="Turn off all faults" run={() => session.api.send('DELETE', '/faults')}>
                Turn off all
              </Action>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** Whether the books balance; opens what the audit found. */
function AuditBadge() {
  const audit = useSession().summary.value?.audit;
  const dialog = useRef<HTMLDialogElement>(null);
  if (!audit) return null;
  const { ok, problems, transactions, debits, refunds, debited, refunded, balance } = audit;
  return (
    <>
      <button
        type="button"
        class={`badge ${ok ? 'soft' : 'bad'}`}
        onClick={() => dialog.current?.showModal()}
      >
        {ok ? 'Books balance' : `Books do not balance: ${plural(problems.length, 'problem')}`}
      </button>
      <dialog ref={dialog} aria-labelledby="audit-title">
        <h3 id="audit-title">{ok ? 'Books balance' : 'Books do not balance'}</h3>
        {ok ? (
          <p class="soft">
            Every transaction was debited once, every failed transaction was refunded once, and every balance
            is the sum of its ledger.
          </p>
        ) : (
          <ul class="problem">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        <Facts
          facts={[
            ['Transactions', transactions],
            ['Debited', `${naira(debited)}, ${plural(debits, 'debit')}`],
            ['Refunded', `${naira(refunded)}, ${plural(refunds, 'refund')}`],
            ['In all wallets', naira(balance)],
          ]}
        />
        <div class="buttons">
          <button type="button" class="main" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}

/** How long a message stays, in ms; one about a failure stays longer. */
const noticeMs = { good: 5000, bad: 10_000 };

/** Messages; each goes away by itself. */
export function Notices() {
  const session = useSession();
  return (
    <div class="notices" role="status">
      {session.notices.value.map((notice) => (
        <NoticeLine key={notice.id} {...notice} onEnd={() => session.dismiss(notice.id)} />
      ))}
    </div>
  );
}

interface NoticeLineProps {
  readonly text: string;
  readonly tone: keyof typeof noticeMs;
  readonly onEnd: () => void;
}

function NoticeLine({ text, tone, onEnd }: NoticeLineProps) {
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    const timer = setTimeout(() => end.current(), noticeMs[tone]);
    return () => clearTimeout(timer);
  }, [tone]);
  return (
    <p class={tone}>
      <span>{text}</span>
      <button type="button" class="quiet" aria-label="Dismiss" onClick={onEnd}>
        ✕
      </button>
    </p>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import { money } from '../../words/words.js';
import { TurnOff } from './faults-tab.js';
import { type Params, type TabName, tabs } from './location.js';
import type { Audit } from './resources.js';
import { linkTo, setParams, useLoaded, useSession } from './session-context.js';
import { useStore } from './store.js';
import { faultLeftText, faultTargetText, faultText, plural } from './text.js';
import { Action, Copy, Facts } from './widgets.js';

export function Header({ tab, params }: { readonly tab: TabName; readonly params: Params }) {
  const { info, clients } = useLoaded();
  return (
    <header class="top">
      <div class="bar">
        <h1>billpay sandbox</h1>
        <span class="address">
          <code>{info.base_url}</code>
          <Copy text={info.base_url} label="Copy base address" />
        </span>
        <AuditBadge />
        <ConnectionMark />
      </div>
      <div class="bar">
        <nav aria-label="Sections">
          {tabs.map(({ name, title }) => (
            <a key={name} href={linkTo(name)} aria-current={name === tab ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <label class="client-filter">
          <span>Client</span>
          <select
            value={params['client'] ?? ''}
            onChange={(event) => setParams({ client: event.currentTarget.value })}
          >
            <option value="">All clients</option>
            {clients.map(({ client_id }) => (
              <option key={client_id} value={client_id}>
                {client_id}
              </option>
            ))}
          </select>
        </label>
      </div>
    </header>
  );
}

const connectionTexts = {
  connecting: ['wait', 'connecting'],
  live: ['good', 'live'],
  lost: ['bad', 'no connection'],
  locked: ['bad', 'locked'],
} as const;

function ConnectionMark() {
  const [tone, text] = connectionTexts[useStore(useSession().connection)];
  return (
    <span class={`live ${tone}`} role="status">
      {text}
    </span>
  );
}

/** What keeps the sandbox from behaving as usual, in sight on every tab. */
export function Banners() {
  const session = useSession();
  const connection = useStore(session.connection);
  const { faults } = useLoaded();
  const [first] = faults;
  return (
    <div class="banners" aria-live="polite">
      {connection === 'lost' && (
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
            <b>{plural(faults.length, 'fault')}:</b> {faultText(first)}, {faultTargetText(first)},{' '}
            {faultLeftText(first)}
            {faults.length > 1 && ` and ${faults.length - 1} more`}
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

const booksText = ({ ok, problems, debits, refunds }: Audit): string =>
  ok
    ? `Books balance: ${plural(debits, 'debit')}, ${plural(refunds, 'refund')}`
    : `Books do not balance: ${plural(problems.length, 'problem')}`;

/** Whether the books balance; opens what the audit found. */
function AuditBadge() {
  const audit = useStore(useSession().audit);
  const dialog = useRef<HTMLDialogElement>(null);
  if (!audit) return null;
  return (
    <>
      <button
        type="button"
        class={`badge ${audit.ok ? 'good' : 'bad'}`}
        onClick={() => dialog.current?.showModal()}
      >
        {booksText(audit)}
      </button>
      <dialog ref={dialog} aria-labelledby="audit-title">
        <h3 id="audit-title">{booksText(audit)}</h3>
        {audit.ok ? (
          <p class="soft">
            Every sale was debited once, every failed sale was refunded once, and every balance is the sum of
            its ledger.
          </p>
        ) : (
          <ul class="problem">
            {audit.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        <Facts
          facts={[
            ['Sales', audit.transactions],
            ['Debited', `NGN ${money(audit.debited)}`],
            ['Refunded', `NGN ${money(audit.refunded)}`],
            ['In all wallets', `NGN ${money(audit.balance)}`],
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
  const notices = useStore(session.notices);
  return (
    <div class="notices" role="status">
      {notices.map((notice) => (
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

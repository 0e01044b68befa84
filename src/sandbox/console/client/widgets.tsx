import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { covered } from '../../words/tokens.js';
import { linkTo, useSession } from './context.js';
import { longTime, shortTime, type Worded } from './text.js';

/** The small parts that everything else is made of. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface ActionProps {
  readonly children: ComponentChildren;
  /** What a button means where its label alone does not say it: "Settle TXN-1 as failed". */
  readonly label?: string;
  readonly kind?: 'main' | 'quiet' | 'danger';
  readonly disabled?: boolean;
  readonly run: () => unknown;
}

/** A button that does one thing at a time. It keeps the focus meanwhile, and says what went wrong. */
export function Action({ children, label, kind, disabled, run }: ActionProps) {
  const session = useSession();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => passFocus(button.current), []);
  const click = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await run();
    } catch (error) {
      session.notify(messageOf(error), 'bad');
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <button
      ref={button}
      type="button"
      class={kind}
      disabled={disabled}
      aria-label={label}
      aria-disabled={busy ? 'true' : undefined}
      onClick={click}
    >
      {children}
    </button>
  );
}

/** A button that goes away with the state that it was for leaves the focus to its row, or to the drawer. */
function passFocus(button: HTMLButtonElement | null): void {
  if (button === null || document.activeElement !== button) return;
  (
    button.closest('tr')?.querySelector<HTMLElement>('a.row') ?? button.closest<HTMLElement>('.drawer')
  )?.focus();
}

export function Badge({ text, tone }: Worded) {
  return (
    <span class={`badge ${tone}`} title={text}>
      {text}
    </span>
  );
}

export function Time({ at }: { readonly at: string }) {
  const today = useSession().today.value;
  return (
    <time dateTime={at} title={longTime(at)}>
      {shortTime(at, today)}
    </time>
  );
}

/** A reference that leads to its transaction. */
export function TransactionLink({ reference }: { readonly reference: string }) {
  return (
    <a class="mono" href={linkTo('transactions', { open: reference })}>
      {reference}
    </a>
  );
}

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Outside a secure context there is only this older way.
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

interface CopyProps {
  /** The text, or where it comes from when it is asked for. */
  readonly text: string | (() => string | Promise<string>);
  readonly label?: string;
  readonly children?: ComponentChildren;
  readonly kind?: 'main' | 'quiet';
}

export function Copy({ text, label, children = 'Copy', kind = 'quiet' }: CopyProps) {
  const session = useSession();
  const run = async () => {
    await copyText(typeof text === 'string' ? text : await text());
    session.notify('Copied.');
  };
  return (
    <Action kind={kind} run={run} {...(label === undefined ? {} : { label })}>
      {children}
    </Action>
  );
}

/** A key that is covered until it is asked for, and can be copied unseen. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [shown, setShown] = useState(false);
  const prefix = /^[a-z]+_/.exec(value)?.[0] ?? '';
  return (
    <span class="secret">
      <code>{shown ? value : `${prefix}${covered}`}</code>
      <button
        type="button"
        class="quiet"
        aria-label={`${shown ? 'Hide' : 'Show'} ${name}`}
        onClick={() => setShown(!shown)}
      >
        {shown ? 'Hide' : 'Show'}
      </button>
      <Copy text={value} label={`Copy ${name}`} />
    </span>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** Names with their values; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl>
      {facts.map(([name, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface CardProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}

export function Card({ title, children, actions }: CardProps) {
  return (
    <section class="card">
      <header>
        <h3>{title}</h3>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Saves a file as the browser saves downloads. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

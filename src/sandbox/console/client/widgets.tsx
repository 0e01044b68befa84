import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { covered, coverTokens } from '../tokens.js';
import { linkTo, useSession } from './session-context.js';
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

/** A button that goes away with the state that it was for leaves the focus to its row. */
function passFocus(button: HTMLButtonElement | null): void {
  if (button === null || document.activeElement !== button) return;
  button.closest('tr')?.querySelector<HTMLElement>('.disclosure')?.focus();
}

export function Badge({ text, tone }: Worded) {
  return <span class={`badge ${tone}`}>{text}</span>;
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={longTime(at)}>
      {shortTime(at)}
    </time>
  );
}

/** A reference that leads to its sale. */
export function SaleLink({ reference }: { readonly reference: string }) {
  return (
    <a class="mono" href={linkTo('sales', { q: reference })}>
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

/** The longest text that is shown whole, in characters. */
const maxCode = 20_000;

interface CodeProps {
  readonly title: string;
  /** Text, or a value to show as JSON. */
  readonly value: unknown;
  readonly actions?: ComponentChildren;
}

/** A text to read, its tokens and secrets covered until they are asked for. */
export function Code({ title, value, actions }: CodeProps) {
  const [shown, setShown] = useState(false);
  const parsed = jsonOf(value);
  const safe = coverTokens(parsed);
  const hasSecret = JSON.stringify(safe) !== JSON.stringify(parsed);
  const visible = shown ? parsed : safe;
  const text = typeof visible === 'string' ? visible : JSON.stringify(visible, undefined, 2);
  const rest = text.length - maxCode;
  return (
    <section class="code">
      <header>
        <h3>{title}</h3>
        {hasSecret && (
          <button type="button" class="quiet" onClick={() => setShown(!shown)}>
            {shown ? 'Hide token' : 'Show token'}
          </button>
        )}
        {actions}
        <Copy
          text={typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}
          label={`Copy: ${title}`}
        />
      </header>
      <Pre title={title}>
        {rest > 0 ? `${text.slice(0, maxCode)}… (${rest.toLocaleString('en')} more characters)` : text}
      </Pre>
    </section>
  );
}

/** Text that scrolls, and so must be reachable by keyboard. */
export function Pre({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a text is no group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre role="group" tabIndex={0} aria-label={title}>
      {children}
    </pre>
  );
}

/** JSON that came as text is shown as JSON. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
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

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

export function Field({ label, hint, wide, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={wide ? 'field wide' : 'field'}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

interface FormProps {
  readonly name: string;
  readonly submit: string;
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** A form that says what went wrong beside its buttons. Empty fields are left out; a button with a name is a field. */
export function Form({ name, submit, onSubmit, children, more }: FormProps) {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const given = [...new FormData(event.currentTarget, event.submitter)].filter(([, value]) => value !== '');
    setBusy(true);
    setProblem('');
    try {
      await onSubmit(Object.fromEntries(given.map(([field, value]) => [field, String(value).trim()])));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form aria-label={name} onSubmit={send}>
      <div class="fields">{children}</div>
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={busy ? 'true' : undefined}>
          {submit}
        </button>
        {more}
      </div>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
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

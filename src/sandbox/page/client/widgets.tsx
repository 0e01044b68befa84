import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo, place, session } from './context.js';
import { longTime, shortTime, type Worded } from './text.js';

/** The small parts that everything else is made of. */

/** Runs one thing at a time, and says what went wrong. */
export function useRun(say: (problem: string) => void) {
  const busy = useSignal(false);
  const run = async (work: () => unknown) => {
    if (busy.value) return;
    busy.value = true;
    try {
      await work();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    } finally {
      busy.value = false;
    }
  };
  return { isBusy: busy.value, run };
}

interface ActionProps {
  readonly text: string;
  /** What a button means where its label alone does not say it: "Settle TXN-1 as failed". */
  readonly label?: string | undefined;
  /** How it looks: `main`, `quiet`, `danger`. */
  readonly kind?: string | undefined;
  readonly run: () => unknown;
}

/** A button that does one thing at a time. It keeps the focus meanwhile, and says what went wrong. */
export function Action({ text, label, kind, run }: ActionProps) {
  const button = useRef<HTMLButtonElement>(null);
  const runner = useRun((problem) => session.notify(problem, 'bad'));
  useLayoutEffect(() => () => passFocus(button.current), []);
  return (
    <button
      ref={button}
      type="button"
      class={kind}
      aria-label={label}
      aria-disabled={runner.isBusy || undefined}
      onClick={() => runner.run(run)}
    >
      {text}
    </button>
  );
}

/** A button that goes away with the state that it was for leaves the focus to its row, or to the drawer. */
function passFocus(button: HTMLButtonElement | null): void {
  if (button === null || document.activeElement !== button) return;
  const row = button.closest('tr')?.querySelector<HTMLElement>('a.row');
  (row ?? button.closest<HTMLElement>('.drawer'))?.focus();
}

/** A state in the colour of what it says, framed where it is the main thing. */
export function Badge({ text, tone, isFramed = true }: Worded & { readonly isFramed?: boolean }) {
  return (
    <span class={isFramed ? `badge ${tone}` : tone} title={text}>
      {text}
    </span>
  );
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={longTime(at)}>
      {shortTime(at, session.today.value)}
    </time>
  );
}

/** A reference that leads to its transaction. */
export function TransactionLink({ reference }: { readonly reference: string }) {
  return (
    <a class="mono" href={linkTo('purchases', { open: reference })}>
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
  readonly label: string;
  /** What the button says. */
  readonly button?: string;
}

export function Copy({ text, label, button = 'Copy' }: CopyProps) {
  const run = async () => {
    await copyText(typeof text === 'string' ? text : await text());
    session.notify('Copied.');
  };
  return <Action kind="quiet" run={run} label={label} text={button} />;
}

interface ValueProps {
  readonly name: string;
  readonly value: string;
}

/** A key, a token or an address, with a button that copies it. */
export function Value({ name, value }: ValueProps) {
  return (
    <span class="bar value">
      <code>{value}</code>
      <Copy text={value} label={`Copy ${name}`} />
    </span>
  );
}

interface FactsProps {
  readonly facts: Readonly<Record<string, ComponentChildren>>;
}

/** Names with their values; those without a value are left out. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl>
      {Object.entries(facts).map(([name, value]) =>
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
  readonly badges?: ComponentChildren;
}

export function Card({ title, children, badges }: CardProps) {
  return (
    <section class="card">
      <header class="bar">
        <h3>{title}</h3>
        {badges}
      </header>
      {children}
    </section>
  );
}

interface DialogProps {
  readonly title: string;
  /** What the button that opens it says. */
  readonly opener: string;
  /** The class of this button. */
  readonly kind: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog over the page. */
export function Dialog({ title, opener, kind, wide, children }: DialogProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => box.current?.showModal(), [isOpen]);
  // What a link in it leads to would lie under it.
  const { tab, params } = place.value;
  useLayoutEffect(() => box.current?.close(), [tab, params['open']]);
  return (
    <>
      <Action kind={kind} run={() => setOpen(true)} text={opener} />
      {isOpen && (
        <dialog ref={box} class={wide ? 'wide' : undefined} aria-label={title} onClose={() => setOpen(false)}>
          <div class="bar">
            <h2>{title}</h2>
            <Action kind="quiet" label="Close" run={closeDialog} text="✕" />
          </div>
          {children}
        </dialog>
      )}
    </>
  );
}

export const closeDialog = (): void => document.querySelector<HTMLDialogElement>('dialog[open]')?.close();

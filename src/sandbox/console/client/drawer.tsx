import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { closeDrawer } from './keys.js';
import type { Tone } from './text.js';
import { Copy, Time } from './widgets.js';

interface DrawerProps {
  readonly title: string;
  /** Under the title: the state, the amount. */
  readonly summary: ComponentChildren;
  /** Undefined until it is loaded. */
  readonly children: ComponentChildren;
}

/** What is open, at the right, with a link of its own. The list stays usable beside it. */
export function Drawer({ title, summary, children }: DrawerProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who steps through the rows stays in the table.
    if (!document.activeElement?.matches('a.row')) box.current?.focus();
  }, []);
  return (
    <aside class="drawer" aria-label={title} tabIndex={-1} ref={box}>
      <header>
        <h2>{title}</h2>
        <Copy text={() => location.href} label="Copy link to this">
          Copy link
        </Copy>
        <button type="button" class="quiet" aria-label="Close" title="Close (Esc)" onClick={closeDrawer}>
          ✕
        </button>
      </header>
      <p class="summary">{summary}</p>
      {children ?? <p class="soft">Loading…</p>}
    </aside>
  );
}

/** One line of a timeline. */
export interface Step {
  readonly at: string;
  /** What it did to the money, or whether it arrived; `wait` for what is yet to come. */
  readonly tone: Tone;
  readonly text: ComponentChildren;
  readonly actions?: ComponentChildren;
}

interface TimelineProps {
  readonly title: string;
  readonly steps: readonly Step[];
  /** What is due: when, and what it is. */
  readonly due: readonly (readonly [at: string | null | undefined, text: string])[];
}

export function Timeline({ title, steps, due }: TimelineProps) {
  const next = due.flatMap(([at, text]) => (at ? [{ at, text, tone: 'wait' as const }] : []));
  const lines: readonly Step[] = [...steps, ...next];
  return (
    <section>
      <h3>{title}</h3>
      <ol class="life">
        {lines.map(({ at, tone, text, actions }, index) => (
          <li key={index} class={tone}>
            <Time at={at} />
            <span>{text}</span>
            {actions && <span class="actions">{actions}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

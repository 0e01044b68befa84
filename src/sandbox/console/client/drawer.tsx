import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useResource } from './context.js';
import { closeDrawer } from './keys.js';
import type { PageEvent } from './session.js';
import type { Tone } from './text.js';
import { Action, Copy, Time } from './widgets.js';

/** What of the control API a drawer shows. */
interface DrawerKind<D> {
  /** Where it comes from, without the id. */
  readonly path: string;
  /** Whether an event changes what is shown. */
  readonly isAffected: (event: PageEvent, id: string, detail: D | undefined) => boolean;
  readonly title: (detail: D | undefined, id: string) => string;
  /** Under the title: the state, the amount. */
  readonly summary: (detail: D) => ComponentChildren;
  readonly Panel: ComponentType<{ readonly detail: D }>;
}

/** What is open, at the right, with a link of its own. The list stays usable beside it. */
export function drawerOf<D>({ path, isAffected, title, summary, Panel }: DrawerKind<D>) {
  return function Drawer({ id }: { readonly id: string }) {
    const { value: detail, problem = 'Loading…' } = useResource<D>(
      `${path}/${encodeURIComponent(id)}`,
      (event, current) => isAffected(event, id, current),
    );
    const box = useRef<HTMLElement>(null);
    useEffect(() => {
      // Who steps through the rows stays in the table.
      if (!document.activeElement?.matches('a.row')) box.current?.focus();
    }, []);
    return (
      <aside class="drawer" aria-label={title(detail, id)} tabIndex={-1} ref={box}>
        <header class="bar">
          <h2>{title(detail, id)}</h2>
          <Copy text={() => location.href} label="Copy link to this" button="Copy link" />
          <Action kind="quiet" label="Close (Esc)" run={closeDrawer} text="✕" />
        </header>
        {detail === undefined ? (
          <p class="soft">{problem}</p>
        ) : (
          <>
            <p class="bar summary">{summary(detail)}</p>
            <Panel detail={detail} />
          </>
        )}
      </aside>
    );
  };
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
  /** What is due, by its text; null where it is not. */
  readonly due: Readonly<Record<string, string | null | undefined>>;
}

export function Timeline({ title, steps, due }: TimelineProps) {
  const next = Object.entries(due).flatMap(([text, at]): Step[] => (at ? [{ at, text, tone: 'wait' }] : []));
  return (
    <section>
      <h3>{title}</h3>
      <ol class="life">
        {[...steps, ...next].map(({ at, tone, text, actions }, index) => (
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

import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Json } from '../../control/types.js';
import { setParams, useResource } from './context.js';
import type { Tone } from './text.js';
import { Action, Copy, Time } from './widgets.js';

/** What of the control API a drawer shows. */
interface DrawerKind<T> {
  /** Where it comes from, without the id. */
  readonly path: string;
  readonly title: (detail: Json<T> | undefined, id: string) => string;
  /** Under the title: the state, the amount. */
  readonly summary: (detail: Json<T>) => ComponentChildren;
  readonly Panel: ComponentType<{ readonly detail: Json<T> }>;
}

/** Closes the drawer, and gives the focus back to the row that was open in it. */
export function closeDrawer(): void {
  const row = document.querySelector<HTMLElement>('a.row[aria-current]');
  setParams({ open: undefined });
  row?.focus();
}

/** What is open, at the right, with a link of its own. It takes the focus; the list stays usable beside it. */
export function drawerOf<T>({ path, title, summary, Panel }: DrawerKind<T>) {
  return function Drawer({ id }: { readonly id: string }) {
    const { value: detail, problem = 'Loading…' } = useResource<T>(`${path}/${encodeURIComponent(id)}`);
    const box = useRef<HTMLElement>(null);
    useEffect(() => box.current?.focus(), []);
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
  /** What is due, by its text; undefined where it is not. */
  readonly due: Readonly<Record<string, string | undefined>>;
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

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { closeDrawer } from './keys.js';
import { Copy } from './widgets.js';

interface DrawerProps {
  readonly title: string;
  /** Under the title: the state, the amount. */
  readonly summary?: ComponentChildren;
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
      {summary && <p class="summary">{summary}</p>}
      {children}
    </aside>
  );
}

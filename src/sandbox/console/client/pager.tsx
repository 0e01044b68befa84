import type { ComponentChildren } from 'preact';
import type { List } from './use-list.js';

interface PagerProps {
  readonly list: Pick<List<unknown>, 'next' | 'showMore'>;
  /** How much is shown. */
  readonly children: ComponentChildren;
}

/** The foot of a list: how much it shows, and a button for more where there is more. */
export function Pager({ list, children }: PagerProps) {
  return (
    <footer class="pager">
      <span>{children}</span>
      {list.next !== null && (
        <button type="button" onClick={list.showMore}>
          Show 50 more
        </button>
      )}
    </footer>
  );
}

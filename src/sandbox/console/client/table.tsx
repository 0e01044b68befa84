import { computed } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { openLink, place } from './context.js';
import type { LiveList } from './live-list.js';
import { Action } from './widgets.js';

/** The class of its cells: the stylesheet says how wide it is, from which width on it is shown, and where in a card. */
export type Column<T> = readonly [area: string, name: string, cell: (item: T) => ComponentChildren];

/** How the rows of a list look. */
export interface RowLook<T> {
  readonly idOf: (item: T) => string | number;
  /** What its row opens, where that is not the item itself; undefined for a row that opens nothing. */
  readonly opens?: (item: T) => string | undefined;
  /** The first one holds the link that opens the row. */
  readonly columns: readonly Column<T>[];
  /** What a row is called, for those who hear it. */
  readonly titleOf: (item: T) => string;
}

interface TableProps<T> {
  /** What the rows are: the caption. */
  readonly name: string;
  readonly look: RowLook<T>;
  readonly list: LiveList<T>;
  readonly showMore: () => Promise<void>;
}

/**
 * A list as a table of one line for each row, whose rows open in the drawer. New rows wait behind a button while the reader is in the
 * table. The rows of the first chunk keep their place in the document and take what they show from the list: where a row arrives,
 * nothing is moved.
 */
export function ListTable<T>({ name, look, list, showMore }: TableProps<T>) {
  const table = useRef<HTMLTableElement>(null);
  const { chunks = [], waiting = [], total = 0, next = null } = list.state.value ?? {};
  const showWaiting = () => {
    list.release();
    scrollTo({ top: 0 });
    // The button goes away with what waited: the focus moves on to what it has shown.
    requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('a.row')?.focus());
  };
  return (
    <div
      class="list"
      onPointerEnter={() => list.hold('pointer', true)}
      onPointerLeave={() => list.hold('pointer', false)}
      onFocusIn={() => list.hold('focus', true)}
      // The focus that moves within the table has not left it.
      onFocusOut={({ currentTarget, relatedTarget }: JSX.TargetedFocusEvent<HTMLElement>) =>
        list.hold('focus', relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
      }
    >
      <div class="waiting" role="status">
        {waiting.length > 0 && <Action kind="main" run={showWaiting} text={`${waiting.length} new`} />}
      </div>
      <table ref={table} aria-rowcount={total + 1}>
        <caption>{name}</caption>
        <thead>
          <tr>
            {look.columns.map(([area, title]) => (
              <th key={area} scope="col" class={area}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {chunks.map((items, at) => (
          // By their place, as the rows in it: nothing moves where a row arrives.
          <Chunk key={at} items={items} look={look} />
        ))}
      </table>
      {next !== null && (
        <footer class="bar pager">
          <Count list={list} />
          <Action run={showMore} text="Show 50 more" />
        </footer>
      )}
    </div>
  );
}

/** Drawn again only where one of its items changed. */
function Chunk<T>({ items, look }: { readonly items: readonly T[]; readonly look: RowLook<T> }) {
  return useMemo(
    () => (
      <tbody>
        {items.map((item, at) => (
          <TableRow key={at} item={item} look={look} />
        ))}
      </tbody>
    ),
    [items, look],
  );
}

function TableRow<T>({ item, look }: { readonly item: T; readonly look: RowLook<T> }) {
  const id = look.opens ? look.opens(item) : String(look.idOf(item));
  const isOpen = useMemo(
    () => computed(() => id !== undefined && place.value.params['open'] === id),
    [id],
  ).value;
  const open = ({ target, currentTarget }: JSX.TargetedMouseEvent<HTMLElement>) => {
    const isOther = target instanceof Element && target.closest('a, button');
    if (!isOther && String(getSelection()) === '') currentTarget.querySelector<HTMLElement>('a.row')?.click();
  };
  return (
    // The link in it is there for the keyboard.
    <tr class={isOpen ? 'open' : undefined} onClick={open}>
      {look.columns.map(([area, , cell], at) => (
        <td key={area} class={area}>
          {at === 0 && id !== undefined ? (
            <a class="row" href={openLink(id)} aria-current={isOpen ? 'true' : undefined}>
              {cell(item)}
              <span class="unseen"> {look.titleOf(item)}</span>
            </a>
          ) : (
            cell(item)
          )}
        </td>
      ))}
    </tr>
  );
}

/** How much of a list is shown: `50 of 5,050`. */
export function Count<T>({ list }: { readonly list: LiveList<T> }) {
  const total = list.state.value?.total.toLocaleString('en');
  return <span class="soft count">{total && `${list.count.toLocaleString('en')} of ${total}`}</span>;
}

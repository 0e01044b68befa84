import { computed } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { openLink, place } from './context.js';
import type { Chunk, Row } from './live-list.js';
import type { List } from './use-list.js';
import { Action } from './widgets.js';

export interface Column<T> {
  readonly name: string;
  /** The cell's class: the stylesheet says how wide it is, from which width on it is shown, and where in a card. */
  readonly area: string;
  readonly cell: (item: T) => ComponentChildren;
}

interface TableProps<T> {
  /** What the rows are: the caption, and the class that the stylesheet knows the columns by. */
  readonly name: string;
  readonly kind: string;
  readonly list: List<T>;
  /** The first one holds the link that opens the row. */
  readonly columns: readonly Column<T>[];
  /** What a row is called, for those who hear it. */
  readonly titleOf: (item: T) => string;
  /** Shown in place of an empty table. */
  readonly empty: ComponentChildren;
}

/**
 * A list as a table of one line for each row, whose rows open in the drawer. New rows wait behind a button while the reader is in the
 * table. The rows of the first chunk keep their place in the document and take what they show from the list: where a row arrives,
 * nothing is moved, and the others are not drawn.
 */
export function ListTable<T>({ name, kind, list, columns, titleOf, empty }: TableProps<T>) {
  const { live, touch } = list;
  const table = useRef<HTMLTableElement>(null);
  const inside = useRef({ pointer: false, focus: false });
  const set = (change: Partial<typeof inside.current>) => {
    Object.assign(inside.current, change);
    touch(inside.current.pointer || inside.current.focus);
  };
  const row = useRef<RowProps<T>>({ columns, titleOf });
  row.current = { columns, titleOf };
  const columnKey = columns.map(({ area }) => area).join();
  const waiting = live.waiting.value.length;
  const showWaiting = () => {
    list.showWaiting();
    scrollTo({ top: 0 });
    // The button goes away with what waited: the focus moves on to what it has shown.
    requestAnimationFrame(() => table.current?.querySelector<HTMLElement>('a.row')?.focus());
  };

  if (!live.loaded.value) return <p class="empty">Loading…</p>;
  if (live.shown.value === 0 && waiting === 0) return <div class="empty">{empty}</div>;
  return (
    <div
      class={`list ${kind}`}
      onPointerEnter={() => set({ pointer: true })}
      onPointerLeave={() => set({ pointer: false })}
      onFocusIn={() => set({ focus: true })}
      // The focus that moves within the table has not left it.
      onFocusOut={({ currentTarget, relatedTarget }: JSX.TargetedFocusEvent<HTMLElement>) =>
        set({ focus: relatedTarget instanceof Node && currentTarget.contains(relatedTarget) })
      }
    >
      <div class="waiting" role="status">
        {waiting > 0 && (
          <button type="button" class="main" onClick={showWaiting}>
            {waiting} new
          </button>
        )}
      </div>
      <table ref={table} aria-rowcount={live.total.value + 1}>
        <caption>{name}</caption>
        <thead>
          <tr>
            {columns.map(({ name: title, area }) => (
              <th key={area} scope="col" class={area}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {live.chunks.value.map((chunk) => (
          <ChunkBody key={chunk.key} chunk={chunk} row={row} columnKey={columnKey} />
        ))}
      </table>
      <Foot list={list} />
    </div>
  );
}

interface RowProps<T> {
  readonly columns: readonly Column<T>[];
  readonly titleOf: (item: T) => string;
}

interface ChunkProps<T> {
  readonly chunk: Chunk<T>;
  readonly row: { readonly current: RowProps<T> };
  /** Draws the rows again where there are other columns. */
  readonly columnKey: string;
}

/** Components that read signals are drawn again only where these or their properties change. */
function ChunkBody<T>({ chunk, row, columnKey }: ChunkProps<T>) {
  return (
    <tbody>
      {chunk.rows.value.map((one, at) => (
        // By their place: nothing moves where a row arrives.
        <TableRow key={at} of={one} row={row} columnKey={columnKey} />
      ))}
    </tbody>
  );
}

interface TableRowProps<T> extends Omit<ChunkProps<T>, 'chunk'> {
  readonly of: Row<T>;
}

function TableRow<T>({ of, row }: TableRowProps<T>) {
  const { columns, titleOf } = row.current;
  const item = of.item.value;
  const isOpen = useMemo(() => computed(() => place.value.params['open'] === String(of.id)), [of.id]).value;
  const open = ({ target, currentTarget }: JSX.TargetedMouseEvent<HTMLElement>) => {
    const isOther = target instanceof Element && target.closest('a, button');
    if (!isOther && String(getSelection()) === '') currentTarget.querySelector<HTMLElement>('a.row')?.click();
  };
  return (
    // The link in it is there for the keyboard.
    <tr class={isOpen ? 'open' : undefined} onClick={open}>
      {columns.map(({ area, cell }, at) => (
        <td key={area} class={area}>
          {at === 0 ? (
            <a class="row" href={openLink(of.id)} aria-current={isOpen ? 'true' : undefined}>
              {cell(item)}
              <span class="unseen"> {titleOf(item)}</span>
            </a>
          ) : (
            cell(item)
          )}
        </td>
      ))}
    </tr>
  );
}

const shownOf = (shown: number, total: number): string =>
  `${shown.toLocaleString('en')} of ${total.toLocaleString('en')}`;

/** How much of a list is shown: `50 of 5,050`. */
export function Count<T>({ list }: { readonly list: List<T> }) {
  const { shown, total, loaded } = list.live;
  return <span class="count">{loaded.value ? shownOf(shown.value, total.value) : ''}</span>;
}

/** The foot of a list of which there is more. */
function Foot<T>({ list }: { readonly list: List<T> }) {
  if (list.live.next.value === null) return null;
  return (
    <footer class="pager">
      <Count list={list} />
      <Action run={list.showMore}>Show 50 more</Action>
    </footer>
  );
}

/** Brings what the drawer shows into sight. */
export function useOpenInSight(): void {
  const { open } = place.value.params;
  useEffect(() => {
    if (open !== undefined) document.querySelector('tr.open')?.scrollIntoView({ block: 'nearest' });
  }, [open]);
}

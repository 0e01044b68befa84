import { computed } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { openLink, place } from './context.js';
import type { Chunk, LiveList, Row } from './live-list.js';
import { Action } from './widgets.js';

export interface Column<T> {
  readonly name: string;
  /** The cell's class: the stylesheet says how wide it is, from which width on it is shown, and where in a card. */
  readonly area: string;
  readonly cell: (item: T) => ComponentChildren;
}

interface RowLook<T> {
  /** The first one holds the link that opens the row. */
  readonly columns: readonly Column<T>[];
  /** What a row is called, for those who hear it. */
  readonly titleOf: (item: T) => string;
}

interface TableProps<T> extends RowLook<T> {
  /** What the rows are: the caption. */
  readonly name: string;
  readonly list: LiveList<T>;
  readonly showMore: () => Promise<void>;
}

/**
 * A list as a table of one line for each row, whose rows open in the drawer. New rows wait behind a button while the reader is in the
 * table. The rows of the first chunk keep their place in the document and take what they show from the list: where a row arrives,
 * nothing is moved, and the others are not drawn.
 */
export function ListTable<T>({ name, list, columns, titleOf, showMore }: TableProps<T>) {
  const table = useRef<HTMLTableElement>(null);
  const look = useRef<RowLook<T>>({ columns, titleOf });
  look.current = { columns, titleOf };
  const waiting = list.waiting.value.length;
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
        {waiting > 0 && (
          <button type="button" class="main" onClick={showWaiting}>
            {waiting} new
          </button>
        )}
      </div>
      <table ref={table} aria-rowcount={(list.total.value ?? 0) + 1}>
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
        {list.chunks.value.map((chunk) => (
          <ChunkBody key={chunk.key} chunk={chunk} look={look} columnCount={columns.length} />
        ))}
      </table>
      {list.next.value !== null && (
        <footer class="pager">
          <Count list={list} />
          <Action run={showMore}>Show 50 more</Action>
        </footer>
      )}
    </div>
  );
}

interface ChunkProps<T> {
  readonly chunk: Chunk<T>;
  readonly look: { readonly current: RowLook<T> };
  /** Draws the rows again where there are other columns. */
  readonly columnCount: number;
}

/** Components that read signals are drawn again only where these or their properties change. */
function ChunkBody<T>({ chunk, look, columnCount }: ChunkProps<T>) {
  return (
    <tbody>
      {chunk.rows.value.map((row, at) => (
        // By their place: nothing moves where a row arrives.
        <TableRow key={at} row={row} look={look} columnCount={columnCount} />
      ))}
    </tbody>
  );
}

type TableRowProps<T> = Omit<ChunkProps<T>, 'chunk'> & { readonly row: Row<T> };

function TableRow<T>({ row, look }: TableRowProps<T>) {
  const { columns, titleOf } = look.current;
  const item = row.item.value;
  const isOpen = useMemo(() => computed(() => place.value.params['open'] === String(row.id)), [row.id]).value;
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
            <a class="row" href={openLink(row.id)} aria-current={isOpen ? 'true' : undefined}>
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

/** How much of a list is shown: `50 of 5,050`. */
export function Count<T>({ list: { shown, total } }: { readonly list: LiveList<T> }) {
  if (total.value === undefined) return <span class="count" />;
  return (
    <span class="count">
      {shown.value.toLocaleString('en')} of {total.value.toLocaleString('en')}
    </span>
  );
}
